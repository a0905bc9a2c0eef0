"""The fair-share doctor: faults, contradictions and unusual values in a tree or on a cluster."""
