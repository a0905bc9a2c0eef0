"""The load on a simulated machine: who works when, planned for all alike, from demands or from a trace."""
