"""The simulated machine: CPUs, processes, l-nodes. Deterministic to the tick; it never looks at a clock.

`tick_kernel.py` is the readable loop over ticks and the reference of `event_engine.py`, which jumps from
event to event and must agree with it. `engine.py` is the compiled loop around both. Neither depends on a
policy: a policy writes one increment and one rank per leaf. Everything beside CPUs and devices is a `Part`,
which returns the tick of its next action. Every change goes through `Machine.act`, and `checkpoint.py` saves
the whole state.
"""
