"""Use cases without Qt: questions, computations and texts that the command line and the window share."""
