"""Scenario files in the console: open, save, recent ones, and copies of what is not saved yet."""

from __future__ import annotations
