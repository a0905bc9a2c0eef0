"""Forecasts of a Slurm cluster and of a simulated machine: effects, and necessary changes."""
