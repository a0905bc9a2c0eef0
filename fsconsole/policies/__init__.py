"""Policies: who is favoured.

A policy is a `Policy` in a file of its own, with a line in `registry.py` and its settings in
`shares/scenario/policy_spec.py`. Its step works on a `PolicyState` each second and each delta. It leaves two
columns per node: `increment` (what a tick of CPU costs in priority) and `rank` (whom to favour elsewhere). It
never sees a tick, a process or a device. Python calls only functions compiled as an `entry` (`compiled.py`):
to call another compiled function from Python crashes the process.
"""
