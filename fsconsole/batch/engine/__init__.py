"""Compiled event loops, one for each kind of policy; each gives the same schedule as the plain loop."""
