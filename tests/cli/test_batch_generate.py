"""`fsconsole batch generate` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.generate import generate_lublin, generate_month
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.traces import read_trace
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded

COLUMNS = ("job_id", "submit_s", "runtime_s", "nodes", "user")


def assert_same(one: JobTable, other: JobTable) -> None:
    assert all(np.array_equal(getattr(one, column), getattr(other, column)) for column in COLUMNS)
    assert one.users == other.users
    assert one.cluster_nodes == other.cluster_nodes
    assert one.unix_start_s == other.unix_start_s


def test_a_month_is_reported_beside_the_printed_one_and_reads_back_equal(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "july.swf.gz"
    ended = cli("batch", "generate", "--month", "7/03", "--seed", 5, "--plant", "S1", "--out", out)
    assert ended.status == 0
    assert ended.err == ""
    assert says(ended.out, "experiments.jobs-per-user-maximum")
    assert f"Wrote {out}" in ended.out
    imported = read_trace(out)
    assert not imported.report.dropped
    assert_same(imported.jobs, generate_month("7/03", 5, ("S1",)))
    assert "S1" in imported.jobs.users


def test_the_trace_says_that_it_is_generated_and_not_ncsas(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "x.swf"
    cli("batch", "generate", "--month", "2/04", "--seed", 8, "--out", out)
    header = [line for line in out.read_text().splitlines() if line.startswith(";")]
    message = "\n".join(header)
    assert says(message, "cli.note-generated-by-fsconsole-seed-2")
    assert "seed 8" in message
    assert says(message, "cli.note-this-is-not-trace")
    assert says(
        message, "cli.note-month-is-from-second", start_s="604800", end_s="3110400"
    )  # 29 days from the 7th on
    ended = cli(
        "batch", "simulate", out, "--policy", "fcfs-backfill", "--month", "2004-02", "2004-03", "--json"
    )
    assert json.loads(ended.out)["jobs"] == 3969


def test_json_has_every_figure(cli: Cli) -> None:
    data = json.loads(cli("batch", "generate", "--month", "8/03", "--json").out)
    assert (data["month"], data["seed"], data["plant"], data["out"]) == ("8/03", 1, [], None)
    assert data["holds"] is True
    figures = {row["quantity"]: row for row in data["table"]}
    assert figures["Jobs"] == {
        "quantity": "Jobs", "printed": 3221, "achieved": 3221, "tolerance": 0, "holds": True
    }  # fmt: skip
    assert len(figures) == 18


def test_a_contradiction_of_the_paper_is_reported(cli: Cli) -> None:
    assert says(
        cli("batch", "generate", "--month", "10/03").out,
        "batch.generate.table-v-counts-users-table",
        users="77",
    )


def test_the_model_is_written_and_cited(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "model.swf"
    arguments = ("--model", "lublin", "--jobs", 300, "--procs", 64, "--users", 4, "--seed", 2, "--out", out)
    ended = cli("batch", "generate", *arguments)
    assert ended.status == 0
    assert says(ended.out, "cli.jobs-of-users-days-in", counted="300", counted_2="4")
    assert "63(11), 2003" in out.read_text()
    assert_same(read_trace(out).jobs, generate_lublin(300, 64, 2, users=4))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), worded("cli.choose-what-to-generate-month")),
        (("--month", "7/03", "--model", "lublin"), worded("cli.choose-what-to-generate-month")),
        (("--month", "13/03"), worded("batch.generate.table-i-has-no-month")),
        (
            ("--month", "7/03", "--jobs", 5),
            worded("cli.does-not-apply-to-leave", name="--jobs", what="month"),
        ),
        (("--model", "lublin", "--jobs", 5), worded("cli.model-needs-jobs-and-procs")),
        (
            ("--model", "lublin", "--jobs", 5, "--procs", 4, "--plant", "S1"),
            worded("cli.does-not-apply-to-leave", name="--plant", what="model"),
        ),
        (("--month", "7/03", "--plant", "S9"), naming("S9")),
        (("--month", "7/03", "--seed", -1), naming("-1")),
    ],
)
def test_wrong_use_is_reported_in_a_line(cli: Cli, arguments: tuple[object, ...], message: Expected) -> None:
    ended = cli("batch", "generate", *arguments)
    assert ended.status == 2
    assert says(ended.err, message)
    assert ended.out == ""


def test_what_cannot_be_generated_or_written_is_reported(cli: Cli, tmp_path: Path) -> None:
    crowd = [word for _ in range(30) for word in ("--plant", "S2")]
    ended = cli("batch", "generate", "--month", "7/03", *crowd)
    assert ended.status == 1
    assert says(ended.err, "batch.generate.with-planted-users")
    ended = cli("batch", "generate", "--month", "7/03", "--out", tmp_path / "no" / "x.swf")
    assert ended.status == 1
    assert says(ended.err, "cli.folder-does-not-exist")
