"""Targets: the machines that a console can look at and act on, behind one protocol."""
