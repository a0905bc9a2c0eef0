"""Runs on disk in the console: a document that is looked at, and what is missing of it."""
