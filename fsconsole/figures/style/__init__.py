"""Palette and curve styles of both the console and figures on paper. No Qt."""
