"""Seeing why: the panels Why and Control, which Design and Observe share."""

from __future__ import annotations
