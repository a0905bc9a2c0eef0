"""A report as one HTML file: figures inside, nothing to load, fit for print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from fsconsole.app.reports.document import Figure, Report, Section, Table
from fsconsole.resources import resource

_HEAD = re.compile(rb"^<\?xml[^>]*\?>\s*")


def html_of(report: Report, pictures: Sequence[bytes]) -> bytes:
    """Return the report as HTML; `pictures` are its figures as SVG, in order."""
    return "\n".join(_lines(report, pictures)).encode()


def _lines(report: Report, pictures: Sequence[bytes]) -> Iterator[str]:
    style = resource("report/report.css").read_text("utf-8")
    yield '<!DOCTYPE html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(report.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>"
    yield f"<h1>{escape(report.title)}</h1>\n<p class=kind>{escape(report.kind)}</p>"
    yield "<h2>Findings</h2>\n<ul>"
    yield from (f"<li>{escape(sentence)}</li>" for sentence in report.findings)
    yield "</ul>"
    rest = iter(pictures)
    for section in report.sections:
        yield from _section(section, [next(rest) for _ in section.figures])
    yield "</body>\n</html>\n"


def _section(section: Section, pictures: Sequence[bytes]) -> Iterator[str]:
    yield f"<section>\n<h2>{escape(section.title)}</h2>"
    yield from (f"<p>{escape(text)}</p>" for text in section.text)
    for figure, picture in zip(section.figures, pictures, strict=True):
        yield _figure(figure, picture)
    for table in section.tables:
        yield from _table(table)
    yield from (f"<pre>{escape(block)}</pre>" for block in section.commands)
    yield "</section>"


def _figure(figure: Figure, picture: bytes) -> str:
    drawn = _HEAD.sub(b"", picture).decode()
    drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(figure.about)}" ', 1)
    return f"<figure>\n{drawn}\n<figcaption>{escape(figure.spec.title)}</figcaption>\n</figure>"


def _table(table: Table) -> Iterator[str]:
    yield "<table>"
    if table.title:
        yield f"<caption>{escape(table.title)}</caption>"
    groups = "".join(f"<th colspan={columns}>{escape(group)}</th>" for group, columns in table.spans())
    above = f"<tr class=groups>{groups}</tr>\n" if groups else ""
    yield f"<thead>{above}{_row(table.headers, table.texts, 'th')}</thead>\n<tbody>"
    yield from (_row(row, table.texts, "td") for row in table.rows)
    yield "</tbody>\n</table>"
    if table.note:
        yield f"<p class=note>{escape(table.note)}</p>"


def _row(cells: Sequence[str], texts: int, tag: str) -> str:
    made = (
        f"<{tag}>{escape(cell)}</{tag}>" if place < texts else f"<{tag} class=n>{escape(cell)}</{tag}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(made)}</tr>"
