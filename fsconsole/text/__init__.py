"""Numbers, times, counts and lists as words, for the window, the command line and messages."""
