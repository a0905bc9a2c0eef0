"""Jobs of a Slurm cluster: their states and reasons in words, as columns, and filters over them."""
