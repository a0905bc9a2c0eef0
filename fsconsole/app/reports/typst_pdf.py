"""A report as PDF by Typst: tagged (PDF/UA-1), with fonts of the program's own and without a date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from fsconsole.app.reports.document import Report, Section
from fsconsole.resources import resource

_STANDARD = "ua-1"
_MISSING = re.compile(r'the text `"(.+?)"` could not be displayed')
_CODE_POINT = re.compile(r"\\u\{([0-9a-f]+)\}")


def spelt(report: Report) -> Report:
    """Return a report that a PDF can show: characters that no font has are written as U+65E5.

    PDF/UA wants a glyph for each character. Figures are drawn after this, so that their texts have room.
    """
    signs = "".join(sorted({sign for text in _texts(report) for sign in text if not " " <= sign <= "~"}))
    if not signs:
        return report
    missing = _compiled_and_missing(facts_of(Report("Signs", "Signs", tuple(signs))), [])[1]
    return _translated(report, _spelling(missing))  # type: ignore[no-any-return]


def pdf_of(report: Report, pictures: Sequence[bytes]) -> bytes:
    """Return a `spelt` report as PDF; `pictures` are its figures as SVG, in order.

    Signs that only a picture has are spelt too, in the room they have.
    """
    return _compiled_and_missing(facts_of(report), [picture.decode() for picture in pictures])[0]


def _compiled_and_missing(facts: dict[str, Any], pictures: Sequence[str]) -> tuple[bytes, str]:
    """Return the PDF and the characters that had to be spelt in it."""
    import typst

    missing = ""
    while True:
        table = _spelling(missing)
        try:
            return _compiled(_translated(facts, table), _translated(pictures, table)), missing
        except typst.TypstError as error:
            more = _missing_in_fonts(error.diagnostic or "")
            if set(more) <= set(missing):
                raise
            missing += more


def _spelling(signs: str) -> dict[int, str]:
    return str.maketrans({sign: f"U+{ord(sign):04X} " for sign in signs})


def _compiled(facts: dict[str, Any], pictures: Sequence[str]) -> bytes:
    import typst

    files = {
        "main.typ": resource("report/report.typ").read_bytes(),
        "report.json": json.dumps(facts, ensure_ascii=False).encode(),
    }
    files |= {f"figure-{number}.svg": picture.encode() for number, picture in enumerate(pictures)}
    compile_files: Any = typst.compile  # The published types omit additional files.
    made = compile_files(
        files,
        font_paths=[str(resource("fonts"))],
        ignore_system_fonts=True,
        format="pdf",
        pdf_standards=[_STANDARD],
        timestamp=0,
    )
    assert isinstance(made, bytes)  # noqa: S101 (a PDF is one file)
    return made


def _missing_in_fonts(diagnostic: str) -> str:
    """Return the characters that Typst could not display, from all that it reports."""
    texts = (_CODE_POINT.sub(lambda one: chr(int(one[1], 16)), text) for text in _MISSING.findall(diagnostic))
    return "".join(sorted({sign for text in texts for sign in text if not " " <= sign <= "~"}))


def _translated(value: Any, table: dict[int, str]) -> Any:
    """Return texts with characters replaced, in lists, dictionaries and dataclasses too."""
    if not table:
        return value
    if isinstance(value, str):
        made = value.translate(table)
        return value if made == value else made
    if isinstance(value, dict):
        return {_translated(key, table): _translated(one, table) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_translated(one, table) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: _translated(getattr(value, one.name), table) for one in fields(value)}
        return replace(value, **changed)
    return value


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in lists, dictionaries and dataclasses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif is_dataclass(value):
        yield from _texts([getattr(value, one.name) for one in fields(value)])


def facts_of(report: Report) -> dict[str, Any]:
    """Return the report as the template reads it; figures by the numbers of their files."""
    number = 0
    sections = []
    for section in report.sections:
        sections.append(_section(section, number))
        number += len(section.figures)
    return {
        "title": report.title,
        "kind": report.kind,
        "findings": report.findings,
        "sections": sections,
    }


def _section(section: Section, first: int) -> dict[str, Any]:
    return {
        "title": section.title,
        "text": section.text,
        "figures": [
            {"file": f"figure-{first + place}.svg", "title": figure.spec.title, "about": figure.about}
            for place, figure in enumerate(section.figures)
        ],
        "tables": [
            {
                "title": table.title,
                "headers": table.headers,
                "groups": list(table.spans()),
                "rows": table.rows,
                "note": table.note,
                "texts": table.texts,
            }
            for table in section.tables
        ],
        "commands": section.commands,
    }
