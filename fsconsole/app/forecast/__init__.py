"""The forecast of a Slurm cluster and of a simulated machine: what follows, what must change."""
