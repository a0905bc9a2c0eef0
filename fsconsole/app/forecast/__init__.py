"""The Slurm forecast: usage and fairshare to come, what is asked, what follows, in sentences and figures."""
