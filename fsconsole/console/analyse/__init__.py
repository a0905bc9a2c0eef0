"""Analyse: the papers' measurements repeated, their figures and claims."""
