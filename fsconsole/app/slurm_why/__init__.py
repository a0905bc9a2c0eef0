"""Reasons for a job's wait, a user's fairshare or an account's rank on a Slurm cluster: text for a ticket."""
