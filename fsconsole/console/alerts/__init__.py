"""Alerts in the console: what raises them, how they leave it, and their page of the preferences."""
