"""Samples of files of each number of each format, and what is read of them.

A folder of tests/data/formats is what the program of one day wrote: KIND-NUMBER, and the day of its commit
where one number means two things. `reading.json` in it is what is read. `python -m tests.format_samples`
writes those that are missing, and `… new KIND-NUMBER FOLDER` puts a folder's files there first.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from fsconsole.app.cluster import saved_edits
from fsconsole.batch.search import folder as search_folder
from fsconsole.batch.search.folder import SearchFolder
from fsconsole.batch.study import cell_files
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.files import copies
from fsconsole.console.files.copies import Copy
from fsconsole.console.files.locks import hold_left
from fsconsole.console.operate.nights.controller import NOTE, NoteStore
from fsconsole.console.preference_format import LAYOUTS, PREFERENCES
from fsconsole.console.preferences import Preferences
from fsconsole.linux import undo_log
from fsconsole.linux.undo_log import UndoLog
from fsconsole.machine.summary import summary_of
from fsconsole.recording import run_format
from fsconsole.recording.notes import note_rows, read_notes
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.shares.scenario.spec import settings_of
from fsconsole.shares.stored_format import StoredFormat
from fsconsole.targets.run_machine import machine_at_end
from fsconsole.targets.run_scenario import scenario_of
from fsconsole.targets.slurm import replay
from fsconsole.targets.slurm.diary import DiaryJobs
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.replay import read_manifest
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "tests" / "data" / "formats"
READING = "reading.json"


def modules() -> Iterator[tuple[str, str]]:
    """Yield names and texts of all modules of the program."""
    for path in sorted((ROOT / "fsconsole").rglob("*.py")):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path.read_text("utf-8")


def formats() -> set[StoredFormat]:
    """Return all formats in the code."""
    makers = (import_module(name) for name, text in modules() if "StoredFormat(" in text)
    return {value for module in makers for value in vars(module).values() if isinstance(value, StoredFormat)}


def read(sample: Path) -> Any:
    """Return the contents of a sample as plain data."""
    with TemporaryDirectory() as folder:  # Reading may lock files, and must not change them.
        copy = Path(folder) / sample.name
        shutil.copytree(sample, copy, ignore=shutil.ignore_patterns(READING))
        before = _contents(copy)
        found = READERS[kind_of(sample)][1](copy)
        assert _contents(copy) == before, "reading has changed files"
    return json.loads(json.dumps(found))


def kind_of(sample: Path) -> str:
    """Return the kind of a sample, from its name."""
    return sample.name.partition("-")[0]


def samples() -> list[Path]:
    """Return all samples."""
    return sorted(path for path in SAMPLES.iterdir() if path.is_dir())


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".ini"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _number(value: float) -> str:
    return f"{value:.9g}"


def _table(frame: pl.DataFrame) -> dict[str, list[Any]]:
    return {
        name: [_number(value) if isinstance(value, float) else value for value in frame[name].to_list()]
        for name in frame.columns
    }


def _samples_of(run: RunReader) -> dict[str, Any]:
    frame = run.samples()
    sums = frame.group_by("path", maintain_order=True).sum().sort("path")
    return {
        "rows": frame.height,
        "times": sorted(frame["time_s"].unique().to_list()),
        "gaps": [[gap.start_s, gap.end_s] for gap in run.gaps],
        "sums": _table(sums.drop("time_s", "node")),
    }


def _run(folder: Path) -> Any:
    run = RunReader(folder / "x.run")
    scenario = scenario_of(run)
    settings = settings_of(scenario.machine, scenario.policy)
    try:
        machine = machine_at_end(run)[0]
        resumed: object = [machine.tick, _table(pl.DataFrame(summary_of(machine)["nodes"]))]
    except RunError:
        resumed = None
    return {
        "title": run.manifest["title"],
        "state": run.state,
        "settings": {key: str(settings[key]) for key in run.manifest["settings"]},
        "seed": scenario.seed,
        "tree": {path: scenario.tree.node(node).shares for node, path in scenario.tree.paths().items()},
        "samples": _samples_of(run),
        "notes": note_rows(read_notes(run.path)),
        "journal": run.journal(),
        "events": run.happened()[0],
        "resumed": resumed,
    }


def _diary(folder: Path) -> Any:
    run = RunReader(folder / "x.run")
    jobs = DiaryJobs(run.path).at(run.last_s()) or ()
    return {
        "clock": run.manifest["clock"],
        "samples": _samples_of(run),
        "jobs": [[job.job_id, job.user, job.cpus] for job in jobs],
        "events": run.happened()[0],
        "notes": note_rows(read_notes(run.path)),
    }


def _capture(folder: Path) -> Any:
    found = read_manifest(folder / "capture")
    reader = Reader(Tools(capture_place(folder / "capture")), cluster=found.cluster)

    def part(name: PartName) -> Any:
        try:
            return reader.read(name).value
        except ToolError as error:
            return str(error)

    tree = part(PartName.TREE).tree
    return {
        "captured_s": found.captured_s,
        "answers": [" ".join(one.command) for one in found.answers],
        "shares": list(zip(tree.account, tree.user, tree.shares.tolist(), strict=True)),
        "usage": [_number(value) for value in part(PartName.USAGE).raw_usage],
        "jobs": [[job.job_id, job.user, job.account, job.cpus] for job in part(PartName.JOBS)],
        "nodes": [[node.name, node.state, node.cpus] for node in part(PartName.NODES)],
        "partitions": [one.name for one in part(PartName.PARTITIONS)],
    }


def _study(folder: Path) -> Any:
    study = StudyFolder(folder / "study")
    return {
        "states": {cell.words: study.state(cell) for cell in study.cells()},
        "others": {str(number): count for number, count in study.other_versions().items()},
        "results": _table(study.summary()) if study.finished() else {},
        "starts": [study.month_run(cell).schedule.start_s.sum().item() for cell in study.finished()],
    }


def _search(folder: Path) -> Any:
    search = SearchFolder(folder / "search")
    points = search.points()
    return {
        "is_of_other_version": search.is_of_other_version,
        "train": search.train.periods,
        "settings": _table(search.settings()),
        "points": None if points is None else _table(points),
    }


def _preferences(folder: Path) -> Any:
    preferences = Preferences(folder)
    keys = ("theme", "other/key", "recent", "live/legend/hidden", "cluster.observe/partitions/hidden")
    return {key: preferences.value(key) for key in keys}


def _layouts(folder: Path) -> Any:
    preferences = Preferences(folder)
    return {"is_reported": bool(preferences.problem), "number": LAYOUTS.number}


def _staged(folder: Path) -> Any:
    found = saved_edits.FORMAT.read(folder / "staged.json", saved_edits.read_stored)
    return [found.when.timestamp(), list(found.rows)]


def _unsaved(folder: Path) -> Any:
    ((path, lock),) = hold_left(folder, ".yaml")
    copy = Copy(path, lock)
    facts = copy.facts()
    copy.release()
    assert facts is not None
    return [
        facts.name,
        str(facts.path),
        facts.base,
        facts.edits,
        facts.when.timestamp(),
        note_rows(facts.notes),
    ]


def _shift(folder: Path) -> Any:
    note = NoteStore(folder).read("Machine")
    return None if note is None else [note.text, note.who, note.when]


def _undo(folder: Path) -> Any:
    log = UndoLog(folder / "undo.jsonl", proc=folder / "proc")
    return [[str(entry.kind), entry.path, entry.value, entry.before] for entry in log.entries]


READERS: dict[str, tuple[StoredFormat, Callable[[Path], Any]]] = {
    "run": (run_format.FORMAT, _run),
    "diary": (run_format.OF_DIARIES, _diary),
    "capture": (replay.FORMAT, _capture),
    "study": (cell_files.FORMAT, _study),
    "search": (search_folder.FORMAT, _search),
    "preferences": (PREFERENCES, _preferences),
    "layouts": (LAYOUTS, _layouts),
    "staged": (saved_edits.FORMAT, _staged),
    "unsaved": (copies.FORMAT, _unsaved),
    "shift": (NOTE, _shift),
    "undo": (undo_log.FORMAT, _undo),
}


def main(arguments: Iterable[str]) -> int:
    """Write the readings that are missing, after a new sample was put there."""
    match list(arguments):
        case ["new", name, folder]:
            shutil.copytree(folder, SAMPLES / name)
    for sample in samples():
        if not (sample / READING).exists():
            text = json.dumps(read(sample), indent=1, ensure_ascii=False)
            (sample / READING).write_text(f"{text}\n", "utf-8")
            print(f"Wrote {sample / READING}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
