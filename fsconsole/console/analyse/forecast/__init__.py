"""The forecast: usage and fairshare to come of a user or a Slurm cluster, and a simulated machine run on."""
