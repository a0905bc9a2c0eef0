"""Scheduling policies: which users the machine favours.

A policy is a `Policy` in a file of its own, with a line in `registry.py` and its settings in
`shares/scenario/policy_spec.py`. Its step updates a `PolicyState` each second and each delta. It writes two
columns per node: `increment` (the priority that a tick of CPU costs) and `rank` (the order in which to favour
users elsewhere). It never sees a tick, a process or a device. Python calls only functions compiled as an
`entry` (`compiled.py`): to call another compiled function from Python crashes the process.
"""
