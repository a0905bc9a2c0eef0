"""Alerts: what an operator should know, and how it is delivered beyond the window."""
