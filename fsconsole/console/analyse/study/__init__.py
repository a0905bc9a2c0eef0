"""Studies of parallel jobs: their sweep, table, figures and tables."""
