"""Searches of settings: their front, its points beside held-out months, and a point as a study."""
