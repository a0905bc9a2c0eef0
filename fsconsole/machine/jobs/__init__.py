"""Batch jobs: NQS queues, the unified resource manager (URM), a job's life, and `ja`'s accounting."""
