"""A short near-dedicated night for tests of what operators type: window 23:00 to 00:00, start 22:58."""

from __future__ import annotations

NIGHT = """\
version: 1
title: A short night
machine: {name: Test Y-MP, cpus: 2, start: 1996-02-19 22:58:00}
policy: {name: fixed}
tree:
  name: root
  children:
    - {name: PRI_BATCH, shares: 1, kind: account}
    - {name: PRI_ND, shares: 300, kind: account}
people:
  - {name: hale, accounts: [PRI_BATCH, PRI_ND]}
  - {name: klim, accounts: [PRI_BATCH, PRI_ND]}
  - {name: moss, accounts: [PRI_BATCH, PRI_ND]}
  - {name: ota, accounts: [PRI_BATCH, PRI_ND]}
queues:
  - {name: nd, node: PRI_ND, started: false, priority: 60}
  - {name: batch, node: PRI_BATCH, run_limit: 1}
near_dedicated: {queue: nd, windows: ["daily 23:00-00:00"]}
workloads:
  - {user: PRI_BATCH, command: solver, count: 3, work: endless}
jobs:
  - {name: slow, queue: batch, user: moss, requested_cpu_s: 10 h}
  - {name: alpha, queue: nd, user: hale, requested_cpu_s: 20 min, tasks: 2, shown_efficiency: 0.9}
  - {name: beta, queue: nd, user: hale, requested_cpu_s: 20 min, tasks: 2, shown_efficiency: 0.9}
  - {name: gamma, queue: nd, user: klim, requested_cpu_s: 9000 s, tasks: 2, shown_efficiency: 0.9}
  - {name: beta, queue: nd, user: ota, requested_cpu_s: 600 s, tasks: 2, shown_efficiency: 0.7}
plot: {until_s: 70 min, sample_s: 60 s, rate_window_s: 60 s}
"""
ALPHA, BETA, GAMMA, OTAS_BETA = 41871, 41872, 41873, 41874
