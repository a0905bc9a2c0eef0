"""Numbers, times, counts and lists in words, for window, command line and messages alike."""
