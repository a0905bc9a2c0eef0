"""What Observe shows of a simulated machine beside the plots."""
