"""The simulated machine: CPUs, processes, l-nodes. Deterministic to the tick; it never looks at a clock.

`tick_kernel.py` is the readable loop over ticks and the reference of `event_engine.py`, which goes from event
to event and must agree with it. `engine.py` is the compiled loop around both. Neither sees a policy: a
policy leaves one increment and one rank per leaf. What acts beside CPUs and devices is a `Part`, which names
the tick at which it acts next. Every change goes through `Machine.act`, and `checkpoint.py` saves the
whole state.
"""
