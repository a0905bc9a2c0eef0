"""What an operator does about a near-dedicated night of the simulated machine."""
