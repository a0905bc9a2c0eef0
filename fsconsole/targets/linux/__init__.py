"""Linux as a target: a share tree as control groups of this machine, read back from the kernel's accounting

`groups_worker.py` is the only one that changes anything, in a thread of its own. What is shown of rates comes
from what the kernel has charged, never from weights that were written.
"""
