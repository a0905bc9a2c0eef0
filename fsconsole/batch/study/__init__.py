"""Studies: workloads x policies x windows x seeds, each cell computed once, on all cores or on a cluster.

A study file defines the comparison (`spec.py`, `study_file.py`); `plan.py` reads its workloads and lists the
cells; `run.py` has them computed by an executor and stores them in a study folder (`folder.py`).
"""
