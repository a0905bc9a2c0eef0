from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from fsconsole.batch.study import executors
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.fair_starts import fair_start_of
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.task import CellResult
from fsconsole.cli.study_show import _means
from tests.batch.study.small import HereExecutor, swf_text, write_small
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording

pytestmark = pytest.mark.usefixtures("no_workers")
_BESIDE = ("interval", "p_value", "difference")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_small(tmp_path)


def test_a_study_is_run_shown_and_exported(
    cli: Cli,
    study: Path,
    tmp_path: Path,
    no_workers: type[executors.LocalExecutor],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executors, "LocalExecutor", no_workers)
    out = tmp_path / "out"
    ended = cli("study", "run", study, "--out", out, "--workers", 1)
    assert (ended.status, ended.err) == (0, "")
    assert "RelShare(4h)" in ended.out
    assert wording("cli.of-cells-are-done", done="3", cells="3") + "." in ended.out
    shown = cli("study", "show", out)
    assert shown.status == 0
    assert shown.out in ended.out
    again = cli("study", "run", study, "--out", out, "--json")
    found = json.loads(again.out)
    assert (found["done"], found["failed"]) == (3, [])
    rows = [{name: row[name] for name in row if name not in _BESIDE} for row in found["results"]]
    assert rows == StudyFolder(out).summary().to_dicts()
    assert found["significance"]["reason"] == (wording("app.study.no-intervals-there-is-one"))
    exported = cli("study", "export", out, "--to", tmp_path / "tables")
    assert exported.status == 0
    assert pl.read_parquet(tmp_path / "tables" / "users.parquet").height == 9


def test_progress_is_lines_where_there_is_no_terminal(cli: Cli, study: Path, tmp_path: Path) -> None:
    """A log of a study that ran for hours under cron had one empty line."""
    ended = cli("study", "run", study, "--out", tmp_path / "out", "--workers", 1, "--progress")
    lines = ended.err.splitlines()
    assert lines[0].startswith(wording("cli.of-cells-on", done="0", total="3", failed="", where=""))
    answer = [line.split()[:5] for line in lines[1:]]
    assert answer == [[done, "of", "3", "cells", "on"] for done in ("1", "2", "3")]
    again = cli("study", "run", study, "--out", tmp_path / "other", "--workers", 1)
    assert again.err == ""


def test_jobs_that_were_left_out_are_reported(cli: Cli, study: Path, tmp_path: Path) -> None:
    study.write_text(study.read_text().replace("small.swf", "small.swf\n    procs: 7"))
    out = tmp_path / "out"
    shown = cli("study", "run", study, "--out", out, "--workers", 1)
    # nodes are 1 + 3 n mod 8 in turn: each eighth of the 40 jobs has all eight of them
    line = "small.swf: 5 jobs left out: larger than the machine"
    assert line in shown.out.splitlines()
    assert line in cli("study", "show", out).out.splitlines()
    assert json.loads(cli("study", "run", study, "--out", out, "--json").out)["left_out"] == [line]
    dropped = next(line for line in cli("study", "check", study).out.splitlines() if " dropped: " in line)
    assert wording("batch.traces.larger-than-machine") + " (lines" in dropped
    assert "5 jobs" in dropped


def test_the_best_of_each_column_is_marked(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    table = cli("study", "run", study, "--out", out, "--workers", 1).out
    slowdowns = StudyFolder(out).summary()["avg_bounded_slowdown"]
    rows = [line.split() for line in table.splitlines() if line.lstrip().startswith(("FCFS", "RelShare"))]
    assert [row[1].rstrip("*") for row in rows] == [f"{value:.2f}" for value in slowdowns]
    assert [row[1].endswith("*") for row in rows] == [value == slowdowns.min() for value in slowdowns]


def test_the_table_fits_into_80_columns(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = cli("study", "run", study, "--out", tmp_path / "out", "--workers", 1).out
    table = [line.rstrip() for line in out.splitlines() if not line.startswith("Results:")]
    assert max(map(len, table)) <= 80


def test_several_workloads_have_means(cli: Cli, study: Path, tmp_path: Path) -> None:
    text = study.read_text().replace("small.swf", "small.swf\n    months: all")
    study.write_text(text)
    ended = cli("study", "run", study, "--out", tmp_path / "out", "--workers", 1)
    assert says(ended.out, "cli.means-over", unit="2 runs")
    assert "1996-11" not in ended.out
    assert "small 1996-11" in cli("study", "show", tmp_path / "out").out
    assert "1996-11" not in cli("study", "show", tmp_path / "out", "--means").out


def test_a_failed_cell_is_reported_and_ends_with_1(
    cli: Cli, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell, reason = "RelShare(1d) on small", "it was told to fail"
    failing = HereExecutor(fails={cell})
    monkeypatch.setattr(executors, "LocalExecutor", lambda _workers: failing)
    ended = cli("study", "run", study, "--out", tmp_path / "out")
    assert ended.status == 1
    assert f"{cell} failed" in ended.err
    assert reason in ended.err
    assert wording("cli.of-cells-are-done", done="2", cells="3") + ", " + "1 failed." in ended.out
    found = json.loads(cli("study", "show", tmp_path / "out", "--json").out)
    assert found["failed"] == [{"cell": cell, "reason": reason}]


def test_check_says_what_would_be_worked_out(cli: Cli, study: Path) -> None:
    found = json.loads(cli("study", "check", study, "--json").out)
    assert (found["cells"], found["workloads"]) == (3, ["small"])
    for name, numbers in ((study, ["3", "1", "3"]), ("kth-months", ["88", "11", "8"])):
        (line,) = (one for one in cli("study", "check", name).out.splitlines() if " cells, " in one)
        assert re.findall(r"(?<!\S)\d+(?= )", line) == numbers


def test_what_is_wrong_with_a_study_is_reported_by_line(cli: Cli, study: Path) -> None:
    study.write_text(study.read_text() + "seeds: [1]\n")
    ended = cli("study", "check", study)
    assert ended.status == 1
    assert f"{study}:9:8: error" in ended.err
    assert says(ended.err, "batch.study.seeds-apply-only-to-generated")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("run", "kth-mouths", "--out", "x"),
            2,
            worded(
                "cli.file-not-found-and-program", text_2="study. " + wording("machine.shell.did-you-mean")
            ),
        ),
        (("run", "{study}"), 2, naming("Missing option '--out'")),
        (
            ("run", "{study}", "--out", "x", "--workers", "0"),
            2,
            worded("targets.slurm.is-not-in", on="0", after="the range"),
        ),
        (
            ("run", "{study}", "--out", "x", "--workers", "1", "--cluster", "tcp://a:1"),
            2,
            worded("cli.workers-is-for-this-machine"),
        ),
        (
            ("run", "{study}", "--out", "x", "--cluster", "nonsense"),
            1,
            worded("batch.study.no-dask-scheduler-responds-at"),
        ),
        (
            ("run", "{study}", "--out", "{folder}"),
            1,
            worded("batch.study.holds-something-other-than-choose", what="study"),
        ),
        (("run", "{folder}", "--out", "x"), 2, worded("cli.is-folder-give-file-such", what="study")),
        (("show", "{folder}"), 1, worded("batch.study.is-not-study-folder-is")),
        (("export", "{folder}"), 1, worded("batch.study.is-not-study-folder-is")),
        (("show", "nowhere"), 2, naming("does not exist")),
    ],
)
def test_wrong_use_is_reported(
    arguments: tuple[str, ...], status: int, message: Expected, cli: Cli, study: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    ended = cli("study", *(item.format(study=study, folder=tmp_path) for item in arguments))
    assert ended.status == status
    assert says(ended.err, message)


def test_ctrl_c_keeps_what_is_done(
    cli: Cli, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(HereExecutor):
        def answers(self, timeout_s: float) -> list[CellResult]:
            if len(self.worked_out) == 2:
                raise KeyboardInterrupt
            return super().answers(timeout_s)

    out = tmp_path / "out"
    monkeypatch.setattr(executors, "LocalExecutor", lambda _workers: Interrupted())
    ended = cli("study", "run", study, "--out", out)
    assert ended.status == 130
    assert says(
        ended.err,
        "cli.interrupted-run-same-command-again",
        kept=wording("cli.of-cells-are-kept-in", done="2", total="3", out=out),
    )
    assert len(pl.read_csv(out / "results.csv")) == 2
    assert (
        wording("cli.of-cells-are-done", done="2", cells="3") + ", " + "1 waiting."
        in cli("study", "show", out).out
    )


def test_help_names_the_studies_that_come_along(cli: Cli) -> None:
    output = cli("study", "--help").out
    assert all(name in output for name in bundled_studies())


def test_lists_of_names_that_hold_commas_can_be_told_apart(cli: Cli, tmp_path: Path) -> None:
    more = "  - {policy: relshare, expected_usage: false}\n"
    path = write_small(tmp_path, policies=("fcfs-backfill", "relshare"))
    path.write_text(path.read_text().replace("windows:", f"{more}windows:"))
    out = cli("study", "check", path).out
    policies = next(line for line in out.splitlines() if line.startswith("Policies: "))
    assert len(policies.removeprefix("Policies: ").split("; ")) == 5
    assert "RelShare(4h); " in policies


def write_months(folder: Path) -> Path:
    """The folder of a study of ten months, whose results are written down and not computed."""
    policies = ("fcfs-backfill", "lxf-backfill", "relshare")
    write_small(folder, policies=policies)
    trace = folder / "small.swf"
    every_s = 30 * 86400 * 10 // 400
    trace.write_text(swf_text(400, every_s=every_s).replace("UnixStartTime: 846633600", "Note: spans"))
    text = (folder / "small.yaml").read_text()
    (folder / "small.yaml").write_text(
        text.replace("small.swf", "small.swf\n    months: all").replace("[4h, 1d]", "[1d]")
    )
    return folder / "small.yaml"


def test_policies_of_ten_months_have_intervals_and_tests(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cli("study", "run", write_months(tmp_path), "--out", out, "--workers", 1).status == 0
    found = json.loads(cli("study", "show", out, "--json").out)
    facts = found["significance"]
    assert (facts["unit"], facts["units"], facts["reference"]) == ("month", 10, "FCFS-backfill")
    by_policy = {row["policy"]: row for row in found["means"]}
    first, other = by_policy["FCFS-backfill"], by_policy["LXF-backfill"]
    low, high = first["interval"]["avg_wait_h"]
    assert low <= first["avg_wait_h"] <= high
    assert first["p_value"]["avg_wait_h"] is None
    assert set(other["p_value"]) == set(other["interval"])
    assert all(set(row) >= {"interval", "p_value"} for row in found["results"])
    table = cli("study", "show", out, "--means").out
    assert says(table, "app.study.95-intervals-over-bootstrap-of", words="10 months")
    assert max(len(line.rstrip()) for line in table.splitlines() if "Policy" in line or "─" in line) <= 92


def test_differences_are_from_the_policy_named(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("study", "run", write_months(tmp_path), "--out", out, "--workers", 1)
    output = cli("study", "show", out, "--against", "LXF-backfill").out
    assert says(output, "cli.difference-from", reference="LXF-backfill")
    assert "wait h: difference" in output
    assert "FCFS-backfill" in output
    assert cli("study", "show", out, "--against", "lxf-backfill").out == output  # as the study's file has it
    ended = cli("study", "show", out, "--against", "LXF")
    assert ended.status == 2
    assert says(ended.err, "app.study.no-policy-for-all-of", text="'LXF'", labels="FCFS")


def test_differences_of_too_few_units_are_plain_and_say_so(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("study", "run", study, "--out", out, "--workers", 1)
    output = cli("study", "show", out, "--against", "relshare(4h)").out
    assert says(output, "cli.differences-from-without-intervals-and", reference="RelShare(4h)")
    assert says(output, "app.study.no-intervals-there-is-one")
    assert says(output, "cli.chance-can-explain-any-of")
    waits = dict(StudyFolder(out).summary().select("policy", "avg_wait_h").iter_rows())
    (line,) = (line for line in output.splitlines() if line.strip().startswith("FCFS-backfill"))
    assert line.split()[2] == f"{waits['FCFS-backfill'] - waits['RelShare(4h)']:+.2f}"


def test_seeds_of_a_workload_are_averaged_before_the_workloads_are() -> None:
    found = pl.DataFrame(
        {
            "policy": ["A"] * 4,
            "workload": ["month", "model", "model", "model"],
            "seed": [None, 1, 2, 3],
            "wait": [1.0, 4.0, 5.0, 6.0],
        }
    )
    assert _means(found, (("wait", "Wait", 1, "min"),))["wait"].to_list() == [3.0]


def test_users_are_tested_one_by_one(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("study", "run", write_months(tmp_path), "--out", out, "--workers", 1)
    found = json.loads(cli("study", "users", out, "--json").out)
    assert (found["policy"], found["against"]) == ("RelShare(1d)", "FCFS-backfill")
    assert {row["user"] for row in found["users"]} == {"0", "1", "2"}
    assert all(row["units"] == 10 for row in found["users"])
    output = cli("study", "users", out, "--all", "--policy", "LXF-backfill", "--correction", "bh").out
    measures = wording("app.study.average-wait-h")
    compared = {"measures": measures, "policy": "LXF-backfill", "against": "FCFS-backfill"}
    assert wording("cli.users-minus", **compared) in output
    assert wording("batch.significance.benjamini-hochberg-at-most-5") + "." in output
    text = cli("study", "users", out).out
    # The largest where none is decided.
    assert "not decided" in text
    assert "alone" in text
    assert "corrected" in text
    reasons = cli("study", "users", out, "--why", "--policy", "RelShare").out
    assert f"{found['policy']} minus" in reasons
    answer = reasons.count("compared with FCFS-backfill.")
    assert answer == 10, "months"
    ended = cli("study", "users", out, "--policy", "LXF")
    assert (ended.status, says(ended.err, "app.study.no-policy-for-all-of", text="'LXF'")) == (
        2,
        True,
    )


def test_a_report_is_written_once_and_said(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("study", "run", study, "--out", out, "--workers", 1)
    target = tmp_path / "r.pdf"
    ended = cli("study", "report", out, "--out", target, "--theme", "print")
    assert (ended.status, ended.out, ended.err) == (0, f"Wrote {target}\n", "")
    first = target.read_bytes()
    refused = cli("study", "report", out, "--out", target)
    assert refused.status == 1
    assert "exists already" in refused.err
    assert cli("study", "report", out, "--out", target, "--theme", "print", "--force").status == 0
    assert target.read_bytes() == first


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "r.docx"), worded("cli.report-must-end-in")),
        (("--out", "r.pdf", "--against", "SJF"), worded("app.study.no-policy-for-all-of", text="'SJF'")),
    ],
)
def test_a_report_that_cannot_be_is_refused(
    cli: Cli, study: Path, tmp_path: Path, options: tuple[str, ...], words: Expected
) -> None:
    out = tmp_path / "out"
    cli("study", "run", study, "--out", out, "--workers", 1)
    given = [tmp_path / word if word.startswith("r.") else word for word in options]
    ended = cli("study", "report", out, *given)
    assert ended.status == 2
    assert says(ended.err, words)
    assert not list(tmp_path.glob("r.*"))


def test_measures_of_fairness_are_shown_and_fair_starts_computed(
    cli: Cli, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    cli("study", "run", study, "--out", out, "--workers", 1)
    assert StudyFolder(out).summary()["unfair_starts"].null_count() == 3
    table = cli("study", "show", out, "--fairness").out
    first = next(line for line in table.splitlines() if line.lstrip().startswith("FCFS")).split()
    found = StudyFolder(out).summary().row(0, named=True)
    assert [text.rstrip("*") for text in first[3:6]] == [
        f"{100 * found['share_error']:.1f}", f"{found['jain_share']:.3f}", f"{found['gini_wait']:.3f}"
    ]  # fmt: skip
    assert first[6:] == ["-", "-"]
    shown = cli("study", "fair-start", out, "--workers", 1)
    assert (shown.status, shown.err) == (0, "")
    stored = StudyFolder(out)
    rows = stored.summary().select("unfair_starts", "fair_start_miss_h").rows()
    made = [fair_start_of(stored.month_run(cell)) for cell in stored.cells()]
    assert rows == [(one.unfair, one.avg_miss_h) for one in made]
    assert cli("study", "fair-start", out).out == shown.out
    assert "-" not in next(
        line for line in shown.out.splitlines() if line.lstrip().startswith("RelShare(4h)")
    )


def test_a_study_on_resampled_traces_has_intervals_over_them(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = cli("study", "run", study, "--out", out, "--resample", 40, "--workers", 1)
    assert (ended.status, ended.err) == (0, "")
    assert "Small, " + wording("cli.means-over", name="users resampled", unit="40 runs") in ended.out
    assert says(ended.out, "app.study.95-intervals-over-users-drawn")
    assert "40 resampled" in ended.out
    assert "small, seed" not in cli("study", "show", out).out  # draws are not looked at one by one
    found = json.loads(cli("study", "show", out, "--json").out)
    facts = found["significance"]
    assert (facts["unit"], facts["units"], len(found["results"])) == ("resampled trace", 40, 120)
    waits = StudyFolder(out).summary().filter(policy="RelShare(4h)")["avg_wait_h"]
    row = next(row for row in found["means"] if row["policy"] == "RelShare(4h)")
    assert row["avg_wait_h"] == pytest.approx(waits.mean())
    assert row["interval"]["avg_wait_h"] == pytest.approx([waits.sort()[0], waits.sort()[-1]], rel=0.2)
    assert 1 / 41 <= row["p_value"]["avg_wait_h"] <= 1
    again = cli("study", "run", out / "study.yaml", "--out", out, "--workers", 1)
    assert again.out == ended.out


def test_too_few_resampled_traces_have_no_intervals(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = cli("study", "run", study, "--out", tmp_path / "out", "--resample", 3, "--workers", 1).out
    assert says(out, "app.study.no-intervals-but-at-least", fewest="40")
    assert "3 resampled" in out
    study.write_text("version: 1\nname: July\nworkloads: [{month: 7/03}]\npolicies: [fcfs-backfill]\n")
    ended = cli("study", "run", study, "--out", tmp_path / "other", "--resample", 3)
    assert (ended.status, says(ended.err, "batch.study.does-not-have-trace-whose")) == (1, True)


def test_everything_of_a_study_is_exported_in_the_forms_asked_for(
    cli: Cli, study: Path, tmp_path: Path
) -> None:
    out, to = tmp_path / "out", tmp_path / "files"
    cli("study", "run", study, "--out", out, "--workers", 1)
    forms = ("--tables", "xlsx", "--tables", "csv", "--tables", "tex", "--figures", "svg", "--figures", "py")
    ended = cli("study", "export", out, "--to", to, *forms, "--width", "84", "--height", "60")
    assert (ended.status, ended.err) == (0, "")
    names = {path.name for path in to.iterdir()}
    assert {f"Wrote {to / name}" for name in names} == set(ended.out.splitlines())
    assert {"tables.xlsx", "results.csv", "users.csv", "table-i.csv", "table-i.tex"} <= names
    # Rows of all cells are data.
    assert "results.tex" not in names
    svg = (to / "fig-1a-avg_bounded_slowdown.svg").read_text("utf-8")
    assert 'width="84mm" height="60mm"' in svg
    assert {"fig-1a-avg_bounded_slowdown.py", "fig-1a-avg_bounded_slowdown.csv"} <= names
    assert pl.read_csv(to / "results.csv").height == 3


def test_an_export_that_may_hold_less_replaces_nothing(cli: Cli, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli("study", "run", study, "--out", out, "--workers", 1)
    forms = ("--tables", "xlsx", "--tables", "csv", "--tables", "md", "--figures", "svg")
    assert cli("study", "export", out, *forms).status == 0
    before = {path: path.read_bytes() for path in out.iterdir() if path.is_file()}
    cells = sorted(out.glob("cells/*/summary.json"))
    cells[0].unlink()
    for chosen in ((), *(forms[at : at + 2] for at in range(0, len(forms), 2))):
        ended = cli("study", "export", out, *chosen)
        assert (ended.status, ended.out) == (1, "")
        assert says(ended.err, naming("is not replaced: "))
    for path in cells[1:]:
        path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 1}))
    for chosen in ((), forms):
        ended = cli("study", "export", out, "--to", tmp_path / "elsewhere", *chosen)
        assert (ended.status, ended.out) == (1, "")
        assert says(ended.err, "batch.study.no-cell-of-study-in")
    assert not (tmp_path / "elsewhere").exists()
    shown = cli("study", "show", out)
    assert (shown.status, shown.out.count("of another version")) == (0, 2)
    assert json.loads(cli("study", "show", out, "--json").out)["of_another_version"] == {"1": 2}
    assert {path: path.read_bytes() for path in out.iterdir() if path.is_file()} == before
