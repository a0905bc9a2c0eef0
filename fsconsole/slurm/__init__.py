"""Slurm: what its tools print, and how it works out fairshare. Slurm's own terms are used here."""
