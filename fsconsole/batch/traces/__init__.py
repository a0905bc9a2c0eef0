"""Traces of real machines in and out; what is read comes with a report of every job dropped or repaired."""

from fsconsole.batch.traces.read import Imported, own_schedule, parse_trace, read_trace
from fsconsole.batch.traces.report import Finding, ImportReport, TraceError

__all__ = ["Finding", "ImportReport", "Imported", "TraceError", "own_schedule", "parse_trace", "read_trace"]
