"""The command line. `main.py` holds all that `--help` needs; each command is imported only when it runs."""
