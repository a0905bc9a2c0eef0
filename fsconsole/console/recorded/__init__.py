"""Runs on disk in the console: a document for viewing, and notices on missing parts."""
