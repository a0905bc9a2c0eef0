"""Tables on a terminal."""

from __future__ import annotations

import pytest

from fsconsole.cli.tables import MANY_ROWS, print_table


@pytest.mark.parametrize("count", [3, MANY_ROWS + 1])
def test_every_row_is_printed_under_its_header(capsys: pytest.CaptureFixture[str], count: int) -> None:
    print_table(["Node", "CPU"], [(f"root/u{row}", f"{row} %") for row in range(count)], "All")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["All"]
    assert ["Node", "CPU"] in lines
    assert lines.index([f"root/u{count - 1}", str(count - 1), "%"]) > lines.index(["Node", "CPU"])
    assert sum(line[0].startswith("root/u") for line in lines if line) == count
