"""Policy search: settings of a policy that meet goals on some months of a trace, tested on other months.

A search file (`form.py`, `search_file.py`) has goals and a space of settings. `plan.py` reads the trace;
`run.py` has generations of settings (`evolve.py`) judged by an executor of studies, and stores the results.
"""
