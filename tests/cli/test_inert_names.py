"""Hostile names stay words in all that is printed, written, copied or sent.

Commands, their parameters, and forms of files are found by walking their trees and registries; a new command
that reads a cluster, or a new form, is tried by itself.
"""

from __future__ import annotations

import http.server
import io
import json
import re
import shlex
import threading
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import click
import numpy as np
import polars as pl
import pytest
from markdown_it import MarkdownIt

from fsconsole.app.alerts.channels import DeliveryError, Message, post_webhook, run_command
from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, to_redo
from fsconsole.app.reports.html_page import html_of
from fsconsole.app.reports.in_words import seen
from fsconsole.app.reports.typst_pdf import pdf_of
from fsconsole.app.reports.writing import pictures_of
from fsconsole.console.alerts.desktop import plain
from fsconsole.figures.export import FORMATS, DataFormat, FigureFormat, export_figure
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from fsconsole.resources import resource
from fsconsole.targets.slurm.location import capture_place
from fsconsole.text.csv_text import tsv_cell
from fsconsole.text.table_files import TABLE_FORMS, TableForm, table_bytes
from tests.cli.conftest import Cli
from tests.cli.test_command_tree import ALL
from tests.texts import refuses

NAMES = (
    "\x1b[31mred\x1b]8;;http://x\x07link\x1b]52;c;eA==\x07",
    "over\rwrite\b\b\b",
    "bidi\u202eknil\u2066",
    "c1\x9b2J\x85",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "{{ 7*7 }}",
    "\\input{/etc/passwd}",
    '#read("/etc/passwd")',
    "[a](javascript:x) ![b](http://x) | c",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x")',
    "+1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\uff1d1+1",
    "]]>&xxe;<!ENTITY a SYSTEM 'file:///etc/passwd'>",
    "line\nbreak",
    "\u2028separator",
)
ALL_IN_ONE = "".join(NAMES)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"'*[=+@\t\r\uff1d]|-.*[|(!]")

# -- the command line ----------------------------------------------------------------------------------------

# What commands need behind --via; the cluster is the capture that comes with the program, with other names.
NEEDED = {
    "slurm why": ("job", "{job}"),
    "slurm job output": ("{job}",),
    "slurm job script": ("{job}",),
    "slurm job kill": ("{job}", "--dry-run"),
    "slurm job suspend": ("{job}", "--dry-run"),
    "slurm job resume": ("{job}", "--dry-run"),
    "slurm job hold": ("{job}", "--dry-run"),
    "slurm job release": ("{job}", "--dry-run"),
    "slurm job requeue": ("{job}", "--dry-run"),
    "slurm job extend": ("{job}", "--by", "30 min", "--dry-run"),
    "slurm node drain": ("n1", "--reason", "x", "--dry-run"),
    "slurm node resume": ("n1", "--dry-run"),
    "slurm limit": ("account={account}", "MaxJobs=3", "--dry-run"),
    "slurm capture": ("{folder}",),
    "slurm diff": ("{tree}",),
    "slurm apply": ("{tree}", "--dry-run"),
    "slurm diary": ("--list",),
    "slurm roll-back": ("1", "--dry-run"),
}
WINDOW = "open"  # It starts the window, whose words have tests of their own.
WITH_VIA = sorted(
    words for words, one in ALL.items() if words != WINDOW and any(part.name == "via" for part in one.params)
)
IN_TABLES = "\x1b[31mr\x9b2J\u202e<b>=1\x07"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The capture of the program with other names of users, accounts, partitions, jobs, QOS and nodes."""
    folder = tmp_path_factory.mktemp("hostile") / "capture"
    folder.mkdir()
    for path in resource("slurm-capture").iterdir():
        text = path.read_text("utf-8")
        if path.name != "capture.json":
            for name in ("finn", "hugo", "batch", "science-1min", "imaging-1min"):
                text = re.sub(rf"\b{name}\b", f"{name}{IN_TABLES}", text)
        (folder / path.name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def words(hostile: Path, tmp_path: Path) -> dict[str, str]:
    jobs = (hostile / "jobs.txt").read_text("utf-8")
    tree = tmp_path / "tree.yaml"
    tree.write_text("version: 1\ntree: {name: root, children: [{name: newer, shares: 1}]}\n")
    return {
        "job": next(line for line in jobs.splitlines() if "|PENDING|" in line).split("|", 1)[0],
        "account": "science",
        "folder": str(tmp_path / "again"),
        "tree": str(tree),
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", WITH_VIA)
def test_commands_on_a_cluster_print_no_acting_character(
    cli: Cli, hostile: Path, words: dict[str, str], command: str, form: str
) -> None:
    one = ALL[command]
    if any(part.required and isinstance(part, click.Argument) for part in one.params):
        # NEEDED gives the arguments of each command that needs some.
        assert command in NEEDED
    if form == "json" and not any("--json" in part.opts for part in one.params):
        return
    more = [word.format(**words) for word in NEEDED.get(command, ())]
    via = shlex.join(capture_place(hostile).prefix)
    ended = cli(*command.split(), *more, "--via", via, *(["--json"] if form == "json" else []))
    assert ended.status in (0, 1, 2), ended.err
    assert ended.out + ended.err
    assert not ACTING.search(ended.out + ended.err)
    if form == "json" and ended.status == 0:
        json.loads(ended.out)


def test_the_names_are_printed_at_all(cli: Cli, hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the walk above would see nothing."""
    monkeypatch.setenv("COLUMNS", "400")
    via = shlex.join(capture_place(hostile).prefix)
    assert "finn\\u001b[31mr" in cli("slurm", "jobs", "--via", via).out
    assert "batch\\u001b[31mr" in cli("slurm", "node", "list", "--via", via).out


# -- tables --------------------------------------------------------------------------------------------------


def _frame() -> pl.DataFrame:
    return pl.DataFrame({ALL_IN_ONE: NAMES, "n": np.arange(len(NAMES))})


def _csv(data: bytes) -> None:
    for line in data.decode().splitlines():
        assert not FORMULA.match(line.strip('"').partition(",")[0]) or line.startswith(("'", "\"'"))


def _no_formula(data: bytes) -> None:
    archive = zipfile.ZipFile(io.BytesIO(data))
    parts = {
        name: archive.read(name).decode() for name in archive.namelist() if name.endswith((".xml", ".rels"))
    }
    for text in parts.values():
        ET.fromstring(text)
        assert "<f>" not in text
        assert "<hyperlink" not in text
        assert 'TargetMode="External"' not in text


def _no_markup(data: bytes) -> None:
    page = MarkdownIt("commonmark").enable("table").render(data.decode())
    assert set(re.findall(r"<(\w+)", page)) <= {"h3", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert page.count("<tr>") == len(NAMES) + 1


def _only_known_commands(data: bytes) -> None:
    text = data.decode().replace("\\\\\n", "\n")
    known = {"usepackage", "begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "par"}
    signs = {"textbackslash", "textless", "textgreater", "textbar", "smallskip", "footnotesize", "geq", "leq"}
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= known | signs


CHECKS: dict[TableForm, Callable[[bytes], None]] = {
    "csv": _csv,
    "parquet": lambda data: (
        None if pl.read_parquet(io.BytesIO(data)).equals(_frame()) else pytest.fail("lost")
    ),
    "md": _no_markup,
    "tex": _only_known_commands,
    "xlsx": _no_formula,
}


@pytest.mark.parametrize("form", list(TABLE_FORMS))
def test_tables_hold_words_alone(form: TableForm) -> None:
    data = table_bytes(_frame(), form, ALL_IN_ONE, ALL_IN_ONE)
    CHECKS[form](data)
    if form != "parquet":
        text = data if form != "xlsx" else zipfile.ZipFile(io.BytesIO(data)).read("xl/sharedStrings.xml")
        assert not ACTING.search(text.decode())


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_cell_is_no_formula(name: str) -> None:
    cell = tsv_cell(name)
    assert not FORMULA.match(cell.lstrip("'")) or cell.startswith("'")
    assert not ACTING.search(cell)
    assert "\t" not in cell
    assert "\n" not in cell


@pytest.mark.parametrize("amount", ["-3", "+12 min", "-1.5 %", "-3 h 12 min", "u-1", "28,481"])
def test_a_copied_amount_stays(amount: str) -> None:
    assert tsv_cell(amount) == amount


# -- figures and reports -------------------------------------------------------------------------------------


def _figure() -> FigureSpec:
    curves = tuple(Curve(name, np.array([0.0, 1.0]), np.array([0.0, 1.0])) for name in NAMES)
    return FigureSpec("f", ALL_IN_ONE, Axis(ALL_IN_ONE), curves)


def _is_still_picture(text: str) -> None:
    tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(text).iter()}
    assert not tags & {"script", "image", "foreignObject", "a", "iframe", "object"}


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("form", FORMATS)
def test_figures_hold_words_alone(tmp_path: Path, form: FigureFormat | DataFormat) -> None:
    written = export_figure(_figure(), tmp_path / f"a.{form}", form)
    for path in written:
        data = path.read_bytes()
        match path.suffix:
            case ".svg":
                _is_still_picture(data.decode())
            case ".csv":
                _csv(data)
            case ".py":
                compile(data, str(path), "exec")
                assert "\nread(" not in data.decode()
            case ".json":
                json.loads(data)
            case ".pdf":
                assert not re.search(rb"/(JavaScript|JS|Launch|URI|EmbeddedFile)\b", data)


def _attributes(page: str) -> set[str]:
    """Names of all attributes, as a browser takes them."""
    found: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.update(name for name, _ in attrs)

    Reader().feed(page)
    return found


@pytest.mark.usefixtures("qapp")
def test_reports_hold_words_alone() -> None:
    table = Table(ALL_IN_ONE, ("Name", ALL_IN_ONE), tuple((name, "1.0") for name in NAMES), ALL_IN_ONE)
    spec = _figure()
    section = Section(ALL_IN_ONE, NAMES, (Figure(spec, seen(spec)),), (table,), NAMES)
    report = Report(
        ALL_IN_ONE, ALL_IN_ONE, NAMES,
        (section, provenance({ALL_IN_ONE: ALL_IN_ONE}), to_redo(NAMES, ((ALL_IN_ONE, ALL_IN_ONE),))),
    )  # fmt: skip
    pictures = pictures_of(report)
    page = html_of(report, pictures).decode()
    tags = {tag.lower() for tag in re.findall(r"<(\w+)", page)}
    assert not tags & {"script", "img", "iframe", "object", "embed", "form", "link", "base"}
    assert not {name for name in _attributes(page) if name.startswith("on") or name in ("src", "srcdoc")}
    assert page.count("<style") == page.count("</style>")
    data = pdf_of(report, pictures)
    assert data.startswith(b"%PDF-")
    assert b"root:x:0" not in data
    assert not re.search(rb"/(JavaScript|JS|Launch|URI)\b", data)


# -- alerts --------------------------------------------------------------------------------------------------

ALERT = Message(ALL_IN_ONE, ({"key": "k", "level": "warn", "text": ALL_IN_ONE, "since": "now"},))


def test_a_program_gets_one_argument_and_its_words_are_shown_without_acting(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nprintf '%s' \"$#\" \"$1\" >&2\nprintf '\\033[31m\\207' >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(DeliveryError) as failed:
        run_command([str(program)], ALERT)
    assert "(1" in str(failed.value)
    assert not ACTING.search(str(failed.value))


class _Server(http.server.BaseHTTPRequestHandler):
    answer = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.wfile.write(self.answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), _Server) as one:
        thread = threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{one.server_port}/"
        one.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("answer", "is_final"),
    [
        (b"HTTP/1.0 500 \x1b[31mred\x9b2J\r\n\r\n", False),
        (b"\x1b[31mnot http\r\n\r\n", True),
        (b"HTTP/1.0 200 ok\r\n" + b"A: b\r\n" * 200 + b"\r\n", True),
        (b"HTTP/1.0 200 ok\r\nA: " + b"x" * 70_000 + b"\r\n\r\n", True),
    ],
)
def test_a_webhook_that_answers_nonsense_is_reported(
    server: str, monkeypatch: pytest.MonkeyPatch, answer: bytes, *, is_final: bool
) -> None:
    monkeypatch.setattr(_Server, "answer", answer)
    with pytest.raises(DeliveryError) as failed:
        post_webhook(server, ALERT)
    assert failed.value.is_final is is_final
    assert not ACTING.search(str(failed.value))


def test_an_address_that_cannot_be_called_is_reported() -> None:
    with refuses(DeliveryError, "app.alerts.webhook-for-alerts-cannot-be"):
        post_webhook("http://127.0.0.1:1/a b", ALERT)


def test_a_notification_has_no_tag() -> None:
    shown = plain(ALL_IN_ONE)
    assert "‹img src=x" in shown
    assert not ACTING.search(shown)
    assert "<" not in shown


def test_every_form_of_a_table_has_its_check() -> None:
    assert set(CHECKS) == set(get_args(TableForm))
