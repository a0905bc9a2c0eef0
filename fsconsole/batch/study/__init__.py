"""Studies: workloads x policies x windows x seeds, each cell computed once, on all cores or on a cluster.

A study file says what is compared (`spec.py`, `study_file.py`); `plan.py` reads its workloads and lists the
cells; `run.py` has them computed by an executor and keeps them in a study folder (`folder.py`).
"""
