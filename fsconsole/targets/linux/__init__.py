"""Linux as a target: a share tree as control groups of this machine, with usage from the kernel

Only `groups_worker.py` changes control groups, in a separate thread. Displayed rates are those that the
kernel has charged, never written weights.
"""
