"""Each command on each kind of run, capture and document: it works, or says what that is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fsconsole.app.kinds import Kind, kind_of
from fsconsole.cli.main import cli as program
from tests.cli.conftest import Cli, Ended
from tests.cli.kinds import DIARIES, RUNS, make_kinds, with_state, without_workers, write_diary
from tests.cli.test_command_tree import commands
from tests.texts import says

FILES = ("sharecf", "csv")
KINDS: dict[str, Kind] = {
    **dict.fromkeys(RUNS, Kind.RUN),
    **dict.fromkeys(DIARIES, Kind.DIARY),
    "capture": Kind.CAPTURE,
    **dict.fromkeys(("scenario", "night_scenario"), Kind.SCENARIO),
    **dict.fromkeys(FILES, Kind.FILE),
    "dump": Kind.DUMP,
    "schedule": Kind.SCHEDULE,
    "plan": Kind.RESULTS,
    "sshare": Kind.SSHARE,
    **dict.fromkeys(("swf", "sacct"), Kind.TRACE),
    "study": Kind.STUDY,
    "search": Kind.SEARCH,
    "study_folder": Kind.STUDY_FOLDER,
    "search_folder": Kind.SEARCH_FOLDER,
    "folder": Kind.FOLDER,
}
TREES = (*RUNS, *DIARIES, "capture", "scenario", "night_scenario", "sharecf", "dump", "csv")


@dataclass(frozen=True)
class Use:
    """A command, and what it works on.

    Attributes:
        words: its words; `{x}` is the path, `{out}` a file to write.
        works: names of the kinds on which it works.
        sometimes: names of kinds of which the single file decides.
    """

    words: str
    works: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()


NIGHTS = ("night", "night_scenario")
MACHINES = (*RUNS, "scenario", "night_scenario")
USES: dict[str, Use] = {
    one.words: one
    for one in (
        Use("simulate {x} --until 1s", ("scenario", "night_scenario")),
        Use("simulate --resume {x} --until 21s", RUNS),
        Use("run branch {x} --at 15s --until 16s --out {out}.run", RUNS),
        Use("run scenario {x}", RUNS),
        Use("run notes {x}", (*RUNS, *DIARIES)),
        Use("run notes {x} --markdown", (*RUNS, *DIARIES)),
        Use("run notes {x} --add late --at 10s", (*RUNS, *DIARIES)),
        Use("run diff {x} {x}", (*RUNS, *DIARIES)),
        Use("run report {x} --out {out}.html", (*RUNS, *DIARIES)),
        Use("export {x} --plot cpu_rate --out {out}.csv", RUNS, DIARIES),
        Use("export {x} --plot raw_usage --out {out}.csv", DIARIES, RUNS),
        Use("export {x} --plot norm_shares --out {out}.svg", DIARIES, RUNS),
        Use("export {x} --plot effective_usage --out {out}.parquet", DIARIES, RUNS),
        Use("export {x} --plot fairshare --out {out}.py", DIARIES, RUNS),
        Use("compare {x} --policy share --policy fixed --until 1s", ("scenario", "night_scenario")),
        Use("compare {scenario} --policy share --until 1s --run {x}", RUNS),
        Use("machine {x} date", MACHINES),
        Use("nd status {x}", NIGHTS, MACHINES),
        Use("nd alerts {x}", NIGHTS, MACHINES),
        Use("nd report {x}", (), MACHINES),
        Use("tree show {x}", TREES),
        Use("tree show {x} --map {out}.svg", TREES),
        Use("tree check {x}", TREES),
        Use("tree convert {x} {out}.yaml", TREES),
        Use("tree convert {x} {out}.dump", TREES),
        Use("tree convert {x} {out}.csv", TREES),
        Use("tree diff {x} {x}", TREES),
        Use("tree what-if {x}", TREES),
        Use("tree elsewhere {x} --rule fair-tree", TREES),
        Use("tree load {x} --out {out}.yaml", TREES),
        Use("why {x} u11", ("machine", "branch", "killed", "interrupted", "scenario"), TREES),
        Use("doctor {x}", TREES),
        Use("study run {x} --workers 1 --out {out}", ("study",)),
        Use("study check {x}", ("study",)),
        Use("study show {x}", ("study_folder",)),
        Use("study users {x}", ("study_folder",)),
        Use("study fair-start {x} --workers 1", ("study_folder",)),
        Use("study export {x} --to {out}", ("study_folder",)),
        Use("study report {x} --out {out}.html", ("study_folder",)),
        Use("study search {x}", ("search_folder",), ("search", *FILES)),
        Use("batch simulate {x} --policy fcfs-backfill --procs 16", ("swf", "sacct")),
        Use("batch why {x} --policy fcfs-backfill --procs 16 --job 2", ("swf", "sacct")),
        Use("batch convert {x} {out}.swf --procs 16", ("swf", "sacct")),
        Use("batch compare {x} {x}", ("schedule",)),
        Use("slurm fairshare {x}", ("capture", "sshare")),
        Use("slurm forecast {x} --user ben", ("capture", "sshare")),
        Use("slurm control {x} --target 100", ("capture", "sshare")),
        Use("slurm show --capture {x}", ("capture",)),
        Use("slurm jobs --capture {x}", ("capture",)),
        Use("slurm reservations --capture {x}", ("capture",)),
        Use("slurm node list --capture {x}", ("capture",)),
        Use("slurm status --capture {x}", ("capture",)),
        Use("slurm why anna --capture {x}", ("capture",)),
        Use("slurm finished --capture {x}", (), ("capture",)),
        Use("slurm job script 32 --capture {x}", (), ("capture",)),
        Use("slurm diff {dump} --capture {x}", ("capture",)),
        Use("slurm apply {dump} --dry-run --capture {x}", (), ("capture",)),
        Use("linux plan {x}", (), TREES),
        Use("bench seek {x}", (), RUNS),
    )
}
# These take no path of a kind, act on a live cluster or the kernel, or open a window.
OTHERS = frozenset({
    "open", "play", "reproduce", "batch policies", "batch generate", "bench engine",
    *(f"nd {verb}" for verb in ("queue", "kill", "note", "ack", "start", "stop", "extend", "plan", "run")),
    *(f"linux {verb}" for verb in ("share", "assign", "release", "rates", "start", "apply")),
    *(f"slurm {verb}" for verb in ("capture", "diary", "limit", "node drain", "node resume", "job output")),
    *(f"slurm job {verb}" for verb in ("kill", "extend", "suspend", "resume", "hold", "release", "requeue")),
    "tree forecast", "slurm records", "slurm roll-back",
})  # fmt: skip
DEAR = ("compare", "study report", "run report", "tree elsewhere")
ALIKE = ("branch", "interrupted", "night_scenario", "dump", "csv")
_SOUND = re.compile(r"internal error|Traceback|damaged|expected one of|has no attribute")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_kinds(tmp_path_factory.mktemp("kinds"))


def asked(cli: Cli, made: dict[str, Path], use: Use, name: str, out: Path) -> Ended:
    known = {"x": made[name], "out": out, "dump": made["dump"], "scenario": made["scenario"]}
    words = [word.format(**known) for word in use.words.split()]
    return cli(*words)


def test_each_kind_is_known(made: dict[str, Path]) -> None:
    assert {name: kind_of(path) for name, path in made.items()} == KINDS
    assert kind_of(made["capture"] / "capture.json") is Kind.CAPTURE
    assert kind_of(made["diary"] / "manifest.json") is Kind.DIARY
    assert kind_of(made["folder"] / "missing") is None


@pytest.mark.parametrize("words", USES)
def test_a_command_works_or_names_the_kind(
    cli: Cli, made: dict[str, Path], words: str, tmp_path: Path
) -> None:
    is_dear = words.startswith(DEAR)
    names = [name for name in made if not (is_dear and name in ALIKE)]
    assert not faults_of(cli, made, words, names, tmp_path)


@pytest.mark.whole("takes kinds that go the same way as others")
@pytest.mark.parametrize("words", [words for words in USES if words.startswith(DEAR)])
def test_a_dear_command_takes_the_other_kinds_too(
    cli: Cli, made: dict[str, Path], words: str, tmp_path: Path
) -> None:
    assert not faults_of(cli, made, words, ALIKE, tmp_path)


def faults_of(cli: Cli, made: dict[str, Path], words: str, names: Sequence[str], folder: Path) -> str:
    """Return the faults of a command on each of some kinds; empty without any."""
    use, faults = USES[words], []
    with without_workers():
        for name in names:
            if words.startswith("bench seek") and name in use.sometimes:
                continue  # It opens a window of its own.
            known = made
            if words.startswith("simulate --resume") and name in RUNS:
                known = {**made, name: shutil.copytree(made[name], folder / name / made[name].name)}
            ended = asked(cli, known, use, name, folder / f"out-{name}")
            if fault := fault_of(ended, use, name, known[name]):
                faults.append(f"{name}: {fault}: status {ended.status}\n{ended.out[-200:]}{ended.err[-700:]}")
    return "\n".join(faults)


def fault_of(ended: Ended, use: Use, name: str, path: Path) -> str:
    """Return the fault in the end of a command; empty without one."""
    if ended.status == 70 or _SOUND.search(ended.err):
        return "a fault, or a sound file called damaged"
    if name in use.works:
        # Differences, errors in a file, and findings are results.
        is_result = ended.status == 1 and use.words.split()[0] in ("doctor", "slurm", "tree") and ended.out
        return "" if ended.status == 0 or is_result else "does not work"
    if not ended.err and not ended.out:
        return "says nothing"
    if name in use.sometimes:
        return ""
    if ended.status == 0:
        return "works unexpectedly"
    told = ended.err + ended.out
    if str(path) not in told:
        return "does not name the path"
    kind = KINDS[name]
    word = next((one for one in ("study", "search") if one in kind), str(kind))
    is_named = kind in (Kind.FILE, Kind.FOLDER) or word in told.replace(str(path), "")
    return "" if is_named else "does not name the kind"


def test_the_census_has_each_command() -> None:
    named = {name for name, _ in commands(program) if any(words.startswith(f"{name} ") for words in USES)}
    assert named | OTHERS >= {name for name, _ in commands(program)}


def test_two_weeks_of_a_diary_are_compared_at_equal_times(cli: Cli, tmp_path: Path) -> None:
    first, second = write_diary(tmp_path / "diary", weeks=2)
    ended = cli("run", "diff", first, second, "--json")
    assert (ended.status, ended.err) == (1, "")
    found = json.loads(ended.out)
    assert (found["instants"], found["period_s"]) == (4, 60.0)
    assert found["settings"] == found["tree"] == []
    assert {one["quantity"] for one in found["largest"]} <= {"raw_usage", "norm_usage"}
    assert cli("run", "diff", first, second).status == 1


def test_a_diary_and_a_simulated_run_are_not_compared(cli: Cli, made: dict[str, Path]) -> None:
    ended = cli("run", "diff", made["diary"], made["machine"])
    assert ended.status == 2
    assert says(ended.err, "app.runs.is-run-of-simulated-machine")


def test_notes_on_a_diary_are_kept(cli: Cli, tmp_path: Path) -> None:
    (diary,) = write_diary(tmp_path / "diary")
    assert cli("run", "notes", diary, "--add", "shares changed", "--at", "10s").status == 0
    assert "shares changed" in cli("run", "notes", diary).out
    report = tmp_path / "week.html"
    assert cli("run", "report", diary, "--out", report).status == 0
    text = report.read_text()
    assert all(word in text for word in ("shares changed", "Fairshare", "anna", "lab"))


def test_a_week_whose_program_was_killed_is_not_running(cli: Cli, tmp_path: Path) -> None:
    (diary,) = write_diary(tmp_path / "diary")
    (tmp_path / "killed").mkdir()
    with_state(diary, tmp_path / "killed" / diary.name, "running")
    parts = json.loads(cli("slurm", "diary", "--folder", tmp_path / "killed", "--json").out)["parts"]
    assert [part["state"] for part in parts] == ["cut short"]


@pytest.mark.parametrize("command", ["show", "reservations", "node list", "status", "jobs", "finished"])
def test_a_capture_that_stands_alone_is_told_its_option(
    cli: Cli, made: dict[str, Path], command: str
) -> None:
    ended = cli("slurm", *command.split(), made["capture"])
    assert ended.status == 2
    assert says(ended.err, "cli.is-capture-folder-give-it", folder=made["capture"])


def test_a_capture_is_not_changed(cli: Cli, made: dict[str, Path]) -> None:
    for words in ("job kill 1 --yes", "node drain n1 --reason x --yes", f"apply {made['dump']} --yes"):
        ended = cli("slurm", *words.split(), "--capture", made["capture"])
        assert ended.status == 2
        assert says(ended.err, "cli.capture-cannot-be-changed-capture")
    ended = cli("slurm", "show", "--capture", made["capture"], "--via", "ssh x")
    assert says(ended.err, "cli.capture-and-via-exclude-each")


def test_the_tree_of_a_capture_goes_out_and_comes_back(
    cli: Cli, made: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "lab.dump"
    assert cli("tree", "convert", made["capture"], out).status == 0
    assert cli("tree", "diff", made["capture"], out).status == 0
    assert cli("slurm", "diff", out, "--capture", made["capture"]).status == 0


def test_a_trace_says_what_its_schedule_leaves_out(cli: Cli, made: dict[str, Path]) -> None:
    ended = cli("batch", "simulate", made["sacct"], "--policy", "fcfs-backfill", "--procs", 16)
    assert says(ended.out, "batch.traces.as-one-pool") or "2 partitions" in ended.out
    found = json.loads(
        cli("batch", "simulate", made["sacct"], "--policy", "fcfs-backfill", "--procs", 16, "--json").out
    )
    assert found["as_it_ran"]["jobs"] == 3
    assert found["as_it_ran"]["avg_wait_h"] == pytest.approx((0 + 1200 + 2400) / 3 / 3600)
    parts = ("GPUs of 2 jobs", "time limits of 3", "QOS limits of 3")
    assert all(part in found["not_modelled"] for part in parts)
    why = cli("batch", "why", made["sacct"], "--policy", "fcfs-backfill", "--procs", 16, "--job", 1)
    assert found["not_modelled"] in why.out
