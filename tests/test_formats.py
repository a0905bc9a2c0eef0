"""What earlier programs wrote is read as it was, or the number of its format rises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.format_samples import READERS, READING, formats, kind_of, read, samples

ROOT = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"^\| [^|]+ \| `?([^`|]+?)`? \| (\d+) \| (\d+) \|", re.MULTILINE)
CHANGED = """What is read of a sample has changed. If an older program would misread what this one writes,
raise the number of the format, and put a new sample beside this one. If only more is read, write the reading
again: python -m tests.format_samples"""


@pytest.mark.parametrize("sample", samples(), ids=lambda path: path.name)
def test_a_sample_is_read_as_it_was(sample: Path) -> None:
    assert read(sample) == json.loads((sample / READING).read_text("utf-8")), CHANGED


@pytest.mark.parametrize("kind", READERS)
def test_each_number_that_is_read_has_a_sample(kind: str) -> None:
    form = READERS[kind][0]
    there = {int(sample.name.split("-")[1]) for sample in samples() if kind_of(sample) == kind}
    assert set(range(form.oldest, form.number + 1)) <= there | (
        {1} if kind == "diary" else set()
    )  # There were no diaries then.


def test_the_page_has_each_format_with_its_numbers() -> None:
    page = (ROOT / "docs" / "reference" / "file-versions.md").read_text("utf-8")
    listed = {(name, int(number), int(oldest)) for name, number, oldest in _ROW.findall(page)}
    assert listed == {(one.name, one.number, one.oldest) for one in formats()}
