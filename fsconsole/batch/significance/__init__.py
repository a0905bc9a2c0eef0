"""Significance of differences: bootstrap intervals, paired tests, corrections for many tests."""
