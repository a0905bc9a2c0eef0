"""A real Slurm cluster as a target, through its own tools in child processes.

`tools.py` is the only place that runs programs. An exit status of 0 proves nothing: every change is read
back, and a change set never overwrites what others have changed since it was staged.
"""
