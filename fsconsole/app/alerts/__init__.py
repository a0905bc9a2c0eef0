"""Alerts: facts that an operator should know, and their delivery beyond the window."""
