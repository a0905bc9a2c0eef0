"""Census of all that the program writes: a file for later has a header, or a reason to have none."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from fsconsole.app.cluster import saved_edits
from fsconsole.batch.search import folder as search_folder
from fsconsole.batch.study import cell_files, plan
from fsconsole.console.files import copies
from fsconsole.console.operate.nights import controller as nights
from fsconsole.console.preference_format import LAYOUTS, PREFERENCES
from fsconsole.figures import spec as figure_spec
from fsconsole.linux import undo_log
from fsconsole.machine import checkpoint
from fsconsole.recording import notes, run_format
from fsconsole.shares.stored_format import FORMAT, NUMBER, PROGRAM, StoredFormat
from fsconsole.targets.slurm import replay
from tests.format_samples import formats, modules, samples

RUN, DIARY, PLAN, SEARCH = run_format.FORMAT, run_format.OF_DIARIES, plan.FORMAT, search_folder.FORMAT
YOURS = "It is a scenario, a study or a search, with `version: 1` alone."
OTHERS = "Its form is that of other programs: CSV, SWF, Parquet, Excel or a dialect of trees."
PEOPLE = "It is for people, and not read again."
LINES = "Each line of a log is read by itself."
MEANS = "It writes what it is given."
HERE = "It is for this program as long as it runs, or is made again."
# Writers, by module and name. A part of a folder counts as its main file, which has the header.
WRITERS: dict[str, StoredFormat | str] = {
    "app.reports.writing:write_drawn": PEOPLE,
    "app.study.export:write_study_tables": OTHERS,
    "batch.job_files:write_schedule": OTHERS,
    "batch.search.folder:SearchFolder.write": SEARCH,
    "batch.search.run:_prepare": SEARCH,
    "batch.search.run:_Running._keep_part": SEARCH,
    "batch.search.run:_Running._test_points": OTHERS,
    "batch.study.fair_starts:compute_fair_starts": PLAN,
    "batch.study.folder:StudyFolder._put": cell_files.FORMAT,
    "batch.study.run:prepare": PLAN,
    "batch.study.stored_jobs:StoredJobs.write": PLAN,
    "batch.study.study_file:write_study": YOURS,
    "batch.study.tables:write_tables": OTHERS,
    "batch.traces.write_swf:write_swf": OTHERS,
    "cli.batch_compare:command": OTHERS,
    "cli.batch_simulate:_write": OTHERS,
    "cli.compare:_write_table": OTHERS,
    "cli.errors:_report": PEOPLE,
    "cli.nd:report": PEOPLE,
    "cli.traces:write_findings": OTHERS,
    "cli.tree:convert": OTHERS,
    "cli.tree_load:command": YOURS,
    "console.analyse.search.new_search:NewSearchDialog._written": YOURS,
    "console.analyse.study.view:StudyView._write": OTHERS,
    "console.cluster.auto_save:SavedEditsFile.write": saved_edits.FORMAT,
    "console.crash:_PrivateLog._open": PEOPLE,
    "console.design.compare_panel:ComparePanel.ask_export": OTHERS,
    "console.files.copies:Copy.write": copies.FORMAT,
    "console.files.notes_export:export_notes": PEOPLE,
    "console.moving_scenes:main": PEOPLE,
    "console.operate.nights.controller:NoteStore.write": nights.NOTE,
    "console.operate.records:written": OTHERS,
    "console.preferences:Preferences._open_layouts": LAYOUTS,
    "console.preferences:Preferences.write": PREFERENCES,
    "console.stage:Stage.keep_picture": PEOPLE,
    "figures.export:export_figure": figure_spec.FORMAT,
    "linux.changes:write_value": "It sets a value of a control group.",
    "linux.undo_log:UndoLog.add": undo_log.FORMAT,
    "linux.undo_log:UndoLog._write": undo_log.FORMAT,
    "recording.audit_log:AuditLog.write": LINES,
    "recording.changes:append_block": DIARY,
    "recording.diary_writer:DiaryWriter.events": DIARY,
    "recording.diary_writer:DiaryWriter._know": DIARY,
    "recording.diary_writer:DiaryWriter._write_manifest": DIARY,
    "recording.notes:change_notes": notes.FORMAT,
    "recording.run_cut:cut_back": RUN,
    "recording.run_cut:_cut_samples": RUN,
    "recording.run_writer:RunWriter.close": RUN,
    "recording.run_writer:RunWriter._write_manifest": RUN,
    "recording.run_writer:RunWriter._note_nodes": RUN,
    "recording.run_writer:RunWriter._write_actions": RUN,
    "recording.run_writer:RunWriter._write_happened": RUN,
    "recording.run_writer:RunWriter._checkpoint": checkpoint.FORMAT,
    "recording.sample_writer:SampleWriter.flush.write": RUN,
    "recording.sample_writer:SampleWriter.write": RUN,
    "recording.sample_writer:write_chunk": RUN,
    "recording.sample_writer:append_index": RUN,
    "cli.main:_run": HERE,
    "cli.main:_is_stdout_unwritable": HERE,
    "shares.files:write_atomic": MEANS,
    "shares.files:_write_in_place": MEANS,
    "shares.files:append_lines": MEANS,
    "shares.files:open_private": MEANS,
    "shares.formats:write_tree": OTHERS,
    "shares.scenario.schema:main": OTHERS,
    "shares.scenario.write:save_scenario": YOURS,
    "shares.stored_format:StoredFormat.keep_older": "It copies a file with its header.",
    "targets.slurm.kept_places:_append": LINES,
    "targets.slurm.kept_places:claim": LINES,
    "targets.slurm.login:_askpass": HERE,
    "targets.slurm.reading:capture": replay.FORMAT,
}
_WRITES = ("write_atomic", "append_lines", "open_private", "write_bytes", "QSettings")
_MODE = re.compile(r"(?=.*[wax+])[rwaxbt+]{1,3}")
_FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT")


def calls(node: ast.AST, place: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Yield all calls below a node, with the name of the function in which each is."""
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{place}.{child.name}".lstrip(".")
        elif isinstance(child, ast.Call):
            yield place, child
        yield from calls(child, inner)


def name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def is_write(call: ast.Call) -> bool:
    """Return True if a call writes a file, or opens one for that."""
    if name_of(call) == "open":
        values = [*call.args, *(one.value for one in call.keywords if one.arg == "mode")]
        parts = [part for value in values for part in ast.walk(value)]
        modes = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
        flags = [part.attr for part in parts if isinstance(part, ast.Attribute)]
        return any(_MODE.fullmatch(mode) for mode in modes) or any(flag in _FLAGS for flag in flags)
    # `scenario.write.write_text` returns text; `Path.write_text` writes it.
    is_method = isinstance(call.func, ast.Attribute)
    return name_of(call) in _WRITES or (is_method and name_of(call) == "write_text")


def headers_in(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the header of a file."""
    if path.suffix in (".json", ".jsonl"):
        text = path.read_text("utf-8")
        found = json.loads(text.partition("\n")[0] if path.suffix == ".jsonl" else text) if text else None
    elif path.suffix == ".npz":
        found = checkpoint.unpack(path.read_bytes())[0]
    elif path.suffix == ".ini":
        found = dict(line.split("=", 1) for line in path.read_text("utf-8").splitlines() if "=" in line)
    else:
        return
    if isinstance(found, dict) and PROGRAM in found:
        yield found


def test_each_writer_has_a_header_or_a_reason() -> None:
    found = set()
    for module, text in modules():
        short = module.removeprefix("fsconsole.").removesuffix(".__init__")
        found |= {f"{short}:{place}" for place, call in calls(ast.parse(text)) if is_write(call)}
    assert found == set(WRITERS), "name each writer above, with its format, or why it has none"


def test_each_format_is_written_with_its_header() -> None:
    written = set()
    for module, text in modules():
        for _, call in calls(ast.parse(text)):
            if ".header()" in text and name_of(call) == "header" and not call.args:
                names = {each.id for each in ast.walk(call.func) if isinstance(each, ast.Name)}
                known = vars(import_module(module))
                written |= {known[name] for name in names if isinstance(known.get(name), StoredFormat)}
    assert written == formats()
    assert {one for one in WRITERS.values() if isinstance(one, StoredFormat)} == formats()


def test_samples_of_each_format_begin_with_its_header() -> None:
    files = (path for sample in samples() if sample.name.count("-") == 1 for path in sample.rglob("*.*"))
    found = {(one[FORMAT], int(one[NUMBER])) for path in files if path.is_file() for one in headers_in(path)}
    # Origins are not read again.
    assert {(one.name, one.number) for one in formats() - {figure_spec.FORMAT}} <= found
