"""Why a job waits on a Slurm cluster, a user or an account stands where it does: text for a ticket."""
