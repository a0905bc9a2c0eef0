"""Benchmarks are held against the record; one that exceeds it is measured again at the end."""

from __future__ import annotations

import gc
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

import fsconsole
from tests.benchmarks.measure import Benchmark, Value
from tests.benchmarks.record import LIMIT, append, read_record, times_usual

_ROOT = Path(__file__).resolve().parents[2]
_VALUES = pytest.StashKey[dict[str, Value]]()
_RECORD = pytest.StashKey[Mapping[tuple[str, str], list[float]]]()
_IS_OVER = pytest.StashKey[bool]()
_AGAIN = pytest.StashKey[list[pytest.Item]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("benchmarks")
    group.addoption("--record", type=Path, help="append what is measured to a file, too")
    group.addoption(
        "--slowed", help="MODULE:FUNCTION, made to take half as long again; shows that it is seen"
    )


def pytest_configure(config: pytest.Config) -> None:
    if Path(fsconsole.__file__).parents[1] != _ROOT:
        msg = f"{fsconsole.__file__} would be measured in place of {_ROOT}"
        raise pytest.UsageError(msg)
    config.stash[_VALUES], config.stash[_AGAIN] = {}, []
    config.stash[_RECORD] = read_record()
    if config.option.slowed:
        module, _, name = config.option.slowed.partition(":")
        made = import_module(module)
        setattr(made, name, _slowed(getattr(made, name)))


def _slowed(function: Any) -> Any:
    @wraps(function)
    def longer(*args: Any, **kwargs: Any) -> Any:
        began = time.thread_time()
        result = function(*args, **kwargs)
        now = time.thread_time()
        end = now + (now - began) / 2
        while time.thread_time() < end:
            pass
        return result

    return longer


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> Iterator[Benchmark]:
    """Measures what a test gives it; a garbage collection looks at no objects of the tests before."""
    gc.collect()
    gc.freeze()
    yield Benchmark(f"{request.path.stem}::{request.node.name}".replace("test_", ""))
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Hold what a test measured against the record."""
    result = yield
    made = pyfuncitem.funcargs.get("bench")
    if isinstance(made, Benchmark):
        config = pyfuncitem.config
        config.stash[_VALUES] |= made.values
        over = [one for one in made.values.values() if (_times(config, one) or 0.0) > LIMIT]
        pyfuncitem.stash[_IS_OVER] = bool(over)
        if over:
            pytest.fail("\n".join(_line(config, one) for one in over), pytrace=False)
    return result


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Measure what exceeded the record again at the end: what held it up then seldom does so twice."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    item.stash[_IS_OVER] = False
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    again = item.config.stash[_AGAIN]
    if item.stash[_IS_OVER]:
        again.append(item)
    else:
        _report(item, reports)
    if nextitem is None:
        for late in again:
            _report(late, runtestprotocol(late, nextitem=None, log=False))
        again.clear()
    return True


def _report(item: pytest.Item, reports: Iterable[pytest.TestReport]) -> None:
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    values = config.stash[_VALUES].values()
    terminalreporter.section("benchmarks: value, unit, times the usual value")
    for one in values:
        terminalreporter.line(_line(config, one))
    unknown = sum(_times(config, one) is None for one in values)
    if unknown and config.option.record is None:
        terminalreporter.line(f"{unknown} without a record: run make bench-record", yellow=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    path, values = session.config.option.record, session.config.stash[_VALUES]
    if path is not None and values:
        append(path, values.values(), _ROOT)


def _times(config: pytest.Config, value: Value) -> float | None:
    return times_usual(config.stash[_RECORD], value)


def _line(config: pytest.Config, value: Value) -> str:
    times = _times(config, value)
    told = "no record" if times is None else f"{times:.2f} x"
    return f"{value.value:10.4g} {value.unit:7} {told:>9}  {value.name}"
