"""Studies of parallel jobs: which files are studies, a new one, its state, tables and comparisons."""
