"""The command line. What `--help` needs stands in main.py; each command is imported only when it runs."""
