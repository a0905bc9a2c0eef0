"""Slurm: what its tools print, and how it computes fairshare. Slurm's own terms are used here.

Pure: no processes, no Qt. `targets/slurm/` runs the tools.
"""
