"""The fair-share doctor: what is broken, contradicts itself or is unusual in a tree or on a cluster."""
