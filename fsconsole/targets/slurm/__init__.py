"""A real Slurm cluster as a target, through its own tools in child processes."""
