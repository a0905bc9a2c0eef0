"""Targets: the machines that a console can show and act on, behind one protocol."""
