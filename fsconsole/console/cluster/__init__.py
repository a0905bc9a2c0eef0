"""A real Slurm cluster in the console."""
