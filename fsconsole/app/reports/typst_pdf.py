"""A report as PDF by Typst: tagged (PDF/UA-1), with fonts of the program's own and without a date."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fsconsole.app.reports.document import Report, Section
from fsconsole.resources import resource

_STANDARD = "ua-1"


def pdf_of(report: Report, pictures: Sequence[bytes]) -> bytes:
    """Return the report as PDF; `pictures` are its figures as SVG, in order."""
    import typst

    files = {
        "main.typ": resource("report/report.typ").read_bytes(),
        "report.json": json.dumps(facts_of(report), ensure_ascii=False).encode(),
    }
    files |= {f"figure-{number}.svg": picture for number, picture in enumerate(pictures)}
    compile_files: Any = typst.compile  # its stubs do not know of files beside the main one
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
                "rows": table.rows,
                "note": table.note,
                "texts": table.texts,
            }
            for table in section.tables
        ],
        "commands": section.commands,
    }
