"""What a tree would give under the rules of other schedulers, for given demands."""
