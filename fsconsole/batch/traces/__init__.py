"""Reading and writing of traces of real machines, with a report of every job dropped or repaired."""

from fsconsole.batch.traces.read import Imported, own_schedule, parse_trace, read_trace
from fsconsole.batch.traces.report import Finding, ImportReport, TraceError
from fsconsole.batch.traces.write_swf import write_swf

__all__ = [
    "Finding",
    "ImportReport",
    "Imported",
    "TraceError",
    "own_schedule",
    "parse_trace",
    "read_trace",
    "write_swf",
]
