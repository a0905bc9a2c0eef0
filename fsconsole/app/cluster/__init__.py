"""A Slurm cluster: what is staged and what follows of it, its commands, what came of them, in words."""
