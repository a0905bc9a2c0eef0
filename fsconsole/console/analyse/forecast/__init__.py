"""The Slurm forecast: usage and fairshare to come, of one user or of a captured cluster."""
