"""Parallel jobs on a cluster of nodes that no two jobs share: traces, policies, schedules and their measures.

After Vasupongayya, "Impact of Fair Share and its Configurations on Parallel Job Scheduling Algorithms".
A node is what one job has to itself; in a trace of the Standard Workload Format it is one processor.
"""
