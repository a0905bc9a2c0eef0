"""Figures and tables on paper: described without Qt, then painted into PNG, SVG or PDF."""
