"""Write `docs/papers.md` and `docs/papers/`: what of the papers is where, from `docs/papers.csv`.

A row of the table is an item of a paper in our words. Its letter says how far it is there:

    C  compared with claims of experiments or with tests. It is *checked* by a claim with the paper's own
       value or words, or with a law, and by a test. It is *reproduced by fit* if all its claims have values
       to which the model was fitted: that is computed from the origins of the claims, and F on the pages
    S  shown by a command, a figure, a table, a view or a claim that repeats an input, and not held against
       the paper
    M  only mentioned in a note
    L  not there; the remark says why

`shown_by` are references, parted by ` | `: `NAME 2,4-6` are claims of an experiment, `NAME figure F` and
`NAME text` what it draws and prints, `$ WORDS` is a command of fsconsole, `view WORDS (PATH)` is a view of
the console and `test PATH` are tests. A page names each claim in words, so that it is stale once claims move.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fsconsole.experiments.claims import Claim, Grade
from fsconsole.experiments.experiment import Result
from fsconsole.experiments.registry import experiment_named
from fsconsole.text.numbers import on_terminal

_ROOT = Path(__file__).resolve().parent.parent
TABLE, SUMMARY, FOLDER = (_ROOT / "docs" / name for name in ("papers.csv", "papers.md", "papers"))
WORDS = {"C": "checked", "F": "reproduced by fit", "S": "shown", "M": "mentioned", "L": "not there"}
THERE = "CFS"
_GRADES: dict[str, Grade] = {"C": "checked", "F": "fitted", "S": "shown"}
_REFERENCE = re.compile(
    r"\$ (?P<command>.+)|view (?P<view>.+) \((?P<path>.+)\)|test (?P<test>\S+)"
    r"|(?P<name>[\w-]+) (?:figure (?P<figure>\S+)|(?P<text>text)|(?P<claims>\d[\d,-]*))"
)

ResultOf = Callable[[str], Result]


@dataclass(frozen=True, slots=True)
class Reference:
    """One of what shows an item.

    Attributes:
        kind: `claims`, `figure`, `text`, `command`, `view` or `test`.
        name: the experiment, the words of the command or of the view.
        claims: numbers of claims, from 1 on.
        where: the figure, or the path of the view or of the tests.
    """

    kind: str
    name: str
    claims: tuple[int, ...] = ()
    where: str = ""


class Row(NamedTuple):
    """An item of a paper."""

    paper: str
    where: str
    item: str
    letter: str
    shown_by: str
    remark: str

    @property
    def references(self) -> list[Reference]:
        """Things that show it; ValueError if the text is unreadable."""
        return [reference_of(part) for part in self.shown_by.split(" | ") if part]


def reference_of(text: str) -> Reference:
    """Read one reference; ValueError names what cannot be read."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        msg = f"{text!r} is not a reference. Write claims, such as `junglas-1 2,4-6`, or `$ tree show FILE`."
        raise ValueError(msg)
    if found["command"]:
        return Reference("command", found["command"])
    if found["view"]:
        return Reference("view", found["view"], where=found["path"])
    if found["test"]:
        return Reference("test", found["test"], where=found["test"])
    if found["figure"]:
        return Reference("figure", found["name"], where=found["figure"])
    if found["text"]:
        return Reference("text", found["name"])
    return Reference("claims", found["name"], tuple(_numbers(found["claims"])))


def claims_of(row: Row, result_of: ResultOf) -> list[Claim]:
    """Return the claims that a row names."""
    return [
        result_of(one.name).claims[number - 1]
        for one in row.references
        if one.kind == "claims"
        for number in one.claims
    ]


def letter_of(row: Row, result_of: ResultOf) -> str:
    """Return the letter of a row for its page: C falls to F or S if no claim of the row checks it."""
    if row.letter != "C" or any(one.kind == "test" for one in row.references):
        return row.letter
    grades = {claim.grade for claim in claims_of(row, result_of)}
    return next(letter for letter, grade in _GRADES.items() if grade in grades)


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read_rows() -> list[Row]:
    """Return all rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Row(**line) for line in csv.DictReader(file)]


def pages(rows: Sequence[Row], result_of: ResultOf) -> dict[Path, str]:
    """Return the text of each page."""
    papers = list(dict.fromkeys(row.paper for row in rows))
    rows = [row._replace(letter=letter_of(row, result_of)) for row in rows]
    found = {SUMMARY: _summary(rows, papers)}
    for paper in papers:
        own = [row for row in rows if row.paper == paper]
        found[FOLDER / f"{slug(paper)}.md"] = on_terminal(_page(paper, own, result_of))
    return found


def slug(paper: str) -> str:
    """Return the name of a paper's page: first author and year."""
    words = re.findall(r"\w+", paper.lower())
    return f"{words[0]}-{words[-1]}"


def _summary(rows: Sequence[Row], papers: Sequence[str]) -> str:
    head = f"| paper | items | {' | '.join(WORDS.values())} | checked | all three |"
    counts = [(f"[{paper}](papers/{slug(paper)}.md)", _letters(rows, paper)) for paper in papers]
    counts.append(("all", Counter(row.letter for row in rows)))
    absent = [row for row in rows if row.letter not in THERE]
    return "\n".join((
        "<!-- Written by `make papers` from papers.csv and the claims. Do not edit. -->",
        "# What of the papers is where\n",
        "Each item of the five papers, in our words: a statement, an equation, a row of a table, a curve, a",
        "command. There are three grades:\n",
        "- **checked**: by a claim of an experiment with the paper's own value or words, or with a law, or",
        "  by a test. The claim also says where a paper is contradicted.",
        "- **reproduced by fit**: the paper prints the value, and parameters of the model were chosen to",
        "  give it. Agreement confirms nothing.",
        "- **shown**: by a command, a figure or a view; or by a claim that repeats an input, decides",
        "  nothing, or has its value from another program. It is not held against the paper.\n",
        head,
        f"|---|--:|{'--:|' * len(WORDS)}--:|--:|",
        *(_count_line(name, count) for name, count in counts),
        "\n## Not there, and why\n",
        "| paper | where | item | | reason |",
        "|---|---|---|---|---|",
        *map(_absent_line, absent),
        "",
    ))  # fmt: skip


def _absent_line(row: Row) -> str:
    return f"| {row.paper} | {row.where} | {row.item} | {WORDS[row.letter]} | {row.remark} |"


def _letters(rows: Iterable[Row], paper: str) -> Counter[str]:
    return Counter(row.letter for row in rows if row.paper == paper)


def _count_line(name: str, count: Counter[str]) -> str:
    there, all_ = sum(count[letter] for letter in THERE), count.total()
    parts = (f"{100 * part / all_:.1f} %" for part in (count["C"], there))
    cells = (name, all_, *(count[letter] for letter in WORDS), *parts)
    return f"| {' | '.join(map(str, cells))} |"


def _page(paper: str, rows: Sequence[Row], result_of: ResultOf) -> str:
    quoted: dict[str, set[int]] = {}
    for reference in (one for row in rows for one in row.references):
        if reference.kind in ("claims", "figure", "text"):
            quoted.setdefault(reference.name, set()).update(reference.claims)
    return "\n".join((
        "<!-- Written by `make papers` from ../papers.csv and the claims. Do not edit. -->",
        f"# {paper}: what is where\n",
        "[All papers](../papers.md). Experiments and the claims that are named here follow the table.\n",
        "| where | item | | shown by | remark |",
        "|---|---|---|---|---|",
        *(_line(row) for row in rows),
        "",
        *(line for name in sorted(quoted) for line in _experiment(name, quoted[name], result_of(name))),
    ))  # fmt: skip


def _line(row: Row) -> str:
    shown = "; ".join(map(_link, row.references))
    return f"| {row.where} | {row.item} | {WORDS[row.letter]} | {shown} | {row.remark} |"


def _link(reference: Reference) -> str:
    name, where = reference.name, reference.where
    if reference.kind == "command":
        return f"`fsconsole {name}`"
    if reference.kind == "view":
        return f"[{name}](../../{where})"
    if reference.kind == "test":
        return f"[{Path(where).name}](../../{where})"
    what = {
        "claims": ", ".join(map(str, reference.claims)),
        "figure": f"figure {where}",
        "text": "its table",
    }[reference.kind]
    return f"[{name}](#{name}) {what}"


def _experiment(name: str, numbers: set[int], result: Result) -> list[str]:
    experiment = experiment_named(name)
    lines = [f"## {name}\n", f"{experiment.title}. `fsconsole reproduce {name}`\n"]
    for number in sorted(numbers):
        claim = result.claims[number - 1]
        lines.append(f"{number}. {claim.text} ({claim.describe_verdict()})")
    return [*lines, ""] if numbers else lines


def main() -> int:
    """Write the pages; the experiments that they name are run for it."""
    FOLDER.mkdir(exist_ok=True)
    found = pages(read_rows(), cache(lambda name: experiment_named(name).run()))
    for file, text in found.items():
        file.write_text(text, "utf-8")
    print(f"Wrote {len(found)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
