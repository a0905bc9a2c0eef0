"""Figures and tables on paper: what is drawn is described without Qt, then painted into PNG, SVG or PDF."""
