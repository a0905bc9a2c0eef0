"""Parallel jobs on a cluster of nodes that no two jobs share: traces, policies, schedules and their measures.

After Vasupongayya, "Impact of Fair Share and its Configurations on Parallel Job Scheduling Algorithms".
A node is what one job has to itself; in a trace of the Standard Workload Format it is one processor.
`reference_loop.py` is the readable loop of every policy and the reference of the compiled engines in
`engine/`; `simulate.py` picks the engine. Raise `RESULTS_VERSION` in `study/task.py` when numbers change.
"""
