"""Generated workloads: months like those of the paper's Table I, and a published model.

The paper's printed numbers of its months are data here (`table_one.py`); everything else, such as arrivals or
the relation of nodes and runtimes, is ours and marked so.
"""

from fsconsole.batch.generate.achieved import Figure, achieved_table
from fsconsole.batch.generate.lublin import generate_lublin, offered_load, with_load
from fsconsole.batch.generate.month import generate_month, jobs_of_month
from fsconsole.batch.generate.planted import KINDS
from fsconsole.batch.generate.table_one import CLUSTER_NODES, MONTHS, period_of_month, printed_month

__all__ = [
    "CLUSTER_NODES",
    "KINDS",
    "MONTHS",
    "Figure",
    "achieved_table",
    "generate_lublin",
    "generate_month",
    "jobs_of_month",
    "offered_load",
    "period_of_month",
    "printed_month",
    "with_load",
]
