"""Slurm: the output of its tools, and its arithmetic of fairshare. Slurm's own terms are used here.

Pure: no processes, no Qt. `targets/slurm/` runs the tools.
"""
