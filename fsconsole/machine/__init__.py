"""The simulated machine: CPUs, processes, l-nodes. Deterministic to the tick; it never looks at a clock."""
