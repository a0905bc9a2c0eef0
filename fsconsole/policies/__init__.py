"""Policies: who is favoured.

A policy works on a `PolicyState`, twice: `on_second` and `on_delta`. It leaves two columns per node:
`increment` (what a tick of CPU costs in priority) and `rank` (whom to favour elsewhere). It never
sees a tick, a process or a device.
"""
