"""What Observe shows of a cluster beside the plots."""
