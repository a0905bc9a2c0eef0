"""Load of a simulated machine: working times of users, planned from demands or from a trace."""
