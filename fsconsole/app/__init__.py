"""Use cases without Qt: what the command line and the window both ask, compute and say."""
