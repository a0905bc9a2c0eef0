"""The Observe workspace: the machine live in plots, a legend that is the tree, and the process table."""

from __future__ import annotations
