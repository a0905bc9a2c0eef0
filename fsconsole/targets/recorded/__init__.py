"""A run on disk as a target: complete, still being written, or cut short."""
