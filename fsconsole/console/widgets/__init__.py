"""Small parts the workspaces are built of."""

from __future__ import annotations
