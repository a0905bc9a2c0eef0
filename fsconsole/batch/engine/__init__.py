"""Compiled event loops, one for each kind of policy; all equal the plain one, job for job."""
