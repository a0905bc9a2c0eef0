"""Division of the machine under the rules of other schedulers, for given demands."""
