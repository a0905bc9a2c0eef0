from __future__ import annotations

from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.targets.simulated import SimulatedTarget
from tests.console.live.running import Until, go_to
from tests.texts import says


def asked(observe: LiveWorkspace, until: Until, line: str) -> tuple[str, int]:
    """What the machine console answers."""
    answers: list[tuple[str, int]] = []

    def note(text: str, status: int) -> None:
        answers.append((text, status))

    observe.session.line.replied.connect(note)
    observe.session.line.run(line)
    until(lambda: bool(answers))
    observe.session.line.replied.disconnect(note)
    return answers[0]


def test_the_machine_is_asked_as_it_was_and_not_changed(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 100.0, until)
    then = asked(observe, until, "ps")
    go_to(session, 400.0, until)
    target = session.target
    assert isinstance(target, SimulatedTarget)
    before = target.checkpoint().result(20)
    now = asked(observe, until, "ps")
    session.past.go(100.0)
    assert asked(observe, until, "ps") == then != now
    text, status = asked(observe, until, "lim u11 shares=50")
    assert status == 1
    assert says(text, "targets.nothing-was-done-view-shows")
    assert target.checkpoint().result(20) == before
    session.past.leave()
    assert asked(observe, until, "ps") == now
