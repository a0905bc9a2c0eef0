"""A Slurm cluster: staged changes and their effects, commands and their results, in words."""
