"""Is a difference more than chance: bootstrap intervals, paired tests, corrections for many tests."""
