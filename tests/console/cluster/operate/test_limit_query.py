"""The limit that holds the selected job, looked up in a real capture of jobs that wait for limits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QObject
from pytestqt.qtbot import QtBot

from fsconsole.console.operate.jobs import limit_query
from fsconsole.console.operate.jobs.limit_query import LimitQuery
from fsconsole.slurm.jobs import Job
from tests.app.test_slurm_why_limits import limit_facts


@pytest.fixture
def query(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> LimitQuery:
    facts = limit_facts()
    monkeypatch.setattr(limit_query, "facts_of_state", lambda _state, **_asked: facts)
    controller: Any = SimpleNamespace(state=object(), cluster=SimpleNamespace(target=None), columns=None)
    return LimitQuery(controller, QCoreApplication.instance() or QObject())


def _job(reason: str) -> Job:
    return next(job for job in limit_facts().jobs if job.reason == reason)


def test_the_limit_is_named_with_its_number_and_whose_it_is(qtbot: QtBot, query: LimitQuery) -> None:
    job = _job("AssocGrpJobsLimit")
    with qtbot.waitSignal(query.changed):
        query.look_at(job)
    assert query.words.split()[:5] == ["GrpJobs", "1", "of", "account", "teaching"]
    query.look_at(None)
    assert query.words == ""
    with qtbot.waitSignal(query.changed):
        query.look_at(_job("QOSMaxJobsPerUserLimit"))
    assert query.words.split()[:5] == ["MaxJobsPU", "1", "of", "QOS", "high"]
