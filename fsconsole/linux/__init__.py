"""Linux: a share tree as control groups with CPU weights, the CPU time they are charged, and the undo log"""
