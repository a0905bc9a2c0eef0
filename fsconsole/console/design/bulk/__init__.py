"""Dialogs that change many nodes at once: edit them together, duplicate a group, import rows."""
