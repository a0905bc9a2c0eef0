"""A console for fair-share schedulers: share trees, the machines that obey them, plots of what happened.

How data flows:

    simulation: scenario file -> ShareTree, workloads -> Machine -> Snapshot -> plots, tables, run folder
    change:     key or drag -> Edit or Action -> the target's queue -> Outcome, journal -> next Snapshot
    batch:      trace -> JobTable -> simulate(policy) -> Schedule -> measures -> figures, study folder
    Slurm:      sshare, squeue, … -> parsers -> ClusterState -> views
                staged edits -> sacctmgr -> read back -> report

Rules that hold everywhere:

- Qt is allowed in `console/` and `figures/` alone.
- Only the worker thread of a target touches its machine. Views read immutable snapshots.
- A checkpoint and the journal give the same run again, to the tick.
- Views listen to `console/session.py` and ask it. They never call each other.

Where to add:

- a policy: its file and its line in `policies/registry.py`, its settings in `shares/scenario/policy_spec.py`
- a tree format: a file in `shares/formats/` and its line in `FORMATS` there
- an action on a machine: `shares/scenario/actions.py`, `machine/operate.py`
- a target: a class that fulfils `Target` of `targets/base.py` and offers what it can do; what opens it
  passes an `Attached` with it to `ConsoleSession.open`. Quantities that only it has: `figures/quantities.py`,
  and their columns in `console/live/legend_model.py`
- a part of the machine that acts by itself: a `Part` in `machine/parts.py` or `neardedicated/build.py`
- a command of the machine's shell: a `Command` in the table of a module of `machine/shell/`
- an experiment: a module in `experiments/` and its line in `experiments/registry.py`
- output of another Slurm command: a parser in `slurm/parsers/`, the command in `targets/slurm/reading.py`
- an action on jobs of a cluster: `slurm/job_change.py`, `job_warnings.py`, `targets/slurm/job_actions.py`
- an action in the window: `actions_of_workspace` of its workspace, or the window's actions
"""

from __future__ import annotations

__version__ = "0.2.0"
