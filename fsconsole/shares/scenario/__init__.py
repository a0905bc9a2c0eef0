"""Scenarios: a share tree, the machine it rules, the work on it, and the files that hold them."""
