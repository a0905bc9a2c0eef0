"""A real cluster as it stands: associations, curves over time, partitions, why who goes first."""
