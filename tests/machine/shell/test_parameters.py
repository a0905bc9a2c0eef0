"""`charge` and `shradm`: which setting each option is, and when it takes effect."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import run
from tests.machine.shell.shells import TREE, done, empty, next_delta, refused, shell_on
from tests.machine.worlds import same, scenario_of, split
from tests.texts import Expected, naming, says, span, worded, wording


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("charge -R 8 -E 10", {"policy.delta_s": 8.0, "policy.rate_half_life_s": 10.0}),
        ("charge -K 8", {"policy.half_life_s": 28800.0}),
        ("charge -K 600s", {"policy.half_life_s": 600.0}),
        ("charge -U 1e6 -X 3 -Y 0.5", {"policy.max_kusage": 1e6, "policy.maxushare": 3.0,
                                        "policy.mingshare": 0.5}),
        ("charge -s 1 -b 2 -y 3 -m 4", {f"machine.{n}_cost": v for n, v in
                                        (("syscall", 1.0), ("bio", 2.0), ("tio", 3.0), ("click", 4.0))}),
        ("charge -t 500", {"machine.tick_cost": 500.0}),
        ("charge -F 6", {"policy.nosched": False, "policy.adjgroups": "share", "policy.limshare": True}),
        ("charge -F 01", {"policy.nosched": True, "policy.adjgroups": "off", "policy.limshare": False}),
        ("charge 10", {"machine.tick_cost": 100.0}),
        ("charge 10% -b 7", {"machine.tick_cost": 100.0, "machine.bio_cost": 7.0}),
        ("shradm -R 8 -Z 0.01 -Y 0.9 -K 1", {"policy.delta_s": 8.0, "policy.sharemin": 0.01,
                                            "policy.mingshare": 0.9, "policy.half_life_s": 3600.0}),
        ("shradm ADJGROUPS", {"policy.adjgroups": "share"}),
        ("shradm adjgroups=integral", {"policy.adjgroups": "integral"}),
        ("shradm NOSCHED=on LIMSHARE", {"policy.nosched": True, "policy.limshare": True}),
        ("shradm FIXEDPRI", {"policy.name": "fixed"}),
        ("shradm DEFERTOESGRP=b1", {"machine.defer_interactive_to": "root/B/b1"}),
        ("shradm policy.nu=1.5 policy.half_life_s=1h", {"policy.nu": 1.5, "policy.half_life_s": 3600.0}),
    ],
)  # fmt: skip
def test_options_are_settings_from_the_next_delta_on(line: str, settings: dict[str, Any]) -> None:
    shell = shell_on(at_s=5.5)
    before = shell.session.machine.settings
    head, _, session = done(shell, line).split("\n")[0].partition(", in ")
    assert (head, session) == (wording("policies.in-force-at-next-delta").capitalize(), f"{span(s=2.5)}:")
    assert shell.session.machine.settings == before
    assert says(done(shell, "charges"), "machine.shell.at-next-delta-in")
    next_delta(shell)
    after = shell.session.machine.settings
    assert {key: after[key] for key in settings} == settings
    assert done(shell, line) == wording("machine.shell.nothing-changes-these-values-already")


def test_the_largest_of_no_user_is_nothing() -> None:
    """A tree that is a root alone has no usage, charge or priority to look for."""
    shown = done(empty(), "charges -v")
    values = re.findall(r"(usage|normalised|priority|total) (\S+)", shown[shown.index("largest usage") :])
    assert values == [("usage", "0"), ("normalised", "0"), ("priority", "0"), ("total", "0")]


@pytest.mark.parametrize(("first", "second"), [(2, 60), (10, 60), (2, 30), (5, 300)])
def test_half_lives_of_priorities(first: int, second: int) -> None:
    """charge(1) -D: the largest nice value has H2 exactly, the normal one H1 but for a whole PriDecayBase."""
    shell = shell_on()
    shell.run(f"charge -D {first},{second}")
    spec = shell.session.machine.spec
    decays = [spec.k2 * (nice + spec.k3) for nice in (20, 39)]
    assert math.log(0.5) / math.log(decays[1]) == pytest.approx(second)
    assert math.log(0.5) / math.log(decays[0]) == pytest.approx(first, rel=0.05)
    assert spec.k3 == int(spec.k3)
    if (first, second) == (2, 60):
        assert spec.k3 == 27


def test_a_percentage_is_of_the_scenarios_costs_or_of_those_in_force() -> None:
    shell = shell_on()
    costs = []
    for line in ("charge 50", "charge 50 -b 10", "charge -C 50", "charge 100"):
        done(shell, line)
        costs.append((shell.session.machine.spec.tick_cost, shell.session.machine.spec.bio_cost))
    assert costs == [(500, 0), (500, 10), (250, 5), (1000, 0)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("charge", naming("charge: name a change")),
        ("charge -S 60", naming("charge: -S cannot be set. MAXUSERS: this machine does not limit")),
        ("charge -G 4", worded("machine.shell.cannot-be-set", letter="G", about="MAXGROUPS")),
        ("charge -P 1", worded("machine.shell.cannot-be-set", letter="P", about="MAXPRI")),
        ("shradm -Q 1", worded("machine.shell.cannot-be-set", letter="Q", about="MAXUPRI")),
        ("charge -Y x", worded("machine.shell.must-be-number-not", field="charge: -Y", text="'x'")),
        ("charge -Y 1.5", naming("policy.mingshare: needs a number above 0 to 1")),
        ("charge -X nan", worded("machine.shell.must-be-number-not", field="-X")),
        ("charge -R 0.001", naming("policy.delta_s: needs a whole number of ticks")),
        ("charge -E fast", naming("-E: 'fast' is not a time")),
        ("charge -F 8", worded("machine.shell.f-must-be-octal-number")),
        ("charge -D 2", worded("machine.shell.d-must-be-two-times")),
        ("charge -D 60,2", worded("machine.shell.d-needs-two-times-above")),
        ("charge -D 0.1,60", worded("machine.shell.d-first-time-is-too")),
        ("charge -5", naming("machine.tick_cost: needs 0 to 1e9 cost units")),
        ("charge ten", worded("machine.shell.must-be-number-not", field="the percentage", text="'ten'")),
        (
            "shradm ADJGROUPS=maybe",
            worded(
                "machine.shell.can-be-on-or-off",
                name="ADJGROUPS",
                more=wording("machine.shell.share-or-integral"),
                value="'maybe'",
            ),
        ),
        ("shradm NOSHED", naming("no flag 'NOSHED'. Did you mean NOSCHED")),
        ("shradm DEFERTOESGRP", worded("machine.shell.defertoesgrp-needs-user-or-account")),
        ("shradm DEFERTOESGRP=A", worded("machine.shell.is-group-name-user-below", id="A")),
        (
            "shradm machine.hz=100 policy.nu=1.5",
            worded("machine.shell.cannot-change-while-machine-runs", fixed="machine.hz"),
        ),
        (
            "shradm policy.nu=1.5 machine.defer_interactive_to=A",
            worded("machine.shell.is-group-name-user-below", id="A"),
        ),
        (
            "shradm policy.nuu=1",
            worded(
                "shares.scenario.unknown-setting",
                hint="'policy.nuu'. " + wording("machine.shell.did-you-mean"),
            ),
        ),
        ("shradm policy.name=shar", naming("unknown policy 'shar'. Did you mean share")),
    ],
)
def test_what_cannot_be_set_is_refused_with_what_can(line: str, message: Expected) -> None:
    shell = shell_on(at_s=5)
    assert says(refused(shell, line), message)
    assert not shell.session.machine.waiting.settings


def test_settings_that_only_stand_together_are_set_together() -> None:
    """K2 (39 + K3) must stay below 1 on the way, whichever of the two must go first."""
    shell = shell_on()
    for line in ("charge -D 20,600", "charge -D 1,5", "charge -D 2,60"):
        done(shell, line)
    done(shell, "shradm policy.delta_s=40 policy.redistribution_s=80")
    assert shell.session.machine.policy_spec.delta_s == 40
    done(shell, "shradm policy.redistribution_s=4 policy.delta_s=4")


def test_flags_go_off_again_and_all_are_shown() -> None:
    shell = shell_on()
    done(shell, "shradm FIXEDPRI ADJGROUPS=integral DEFERTOESGRP=b1")
    expected = "policy fixed   ADJGROUPS integral"
    assert expected in done(shell, "shradm")
    assert "DEFERTOESGRP root/B/b1" in done(shell, "shradm")
    done(shell, "shradm FIXEDPRI=off ADJGROUPS=off DEFERTOESGRP=off")
    assert done(shell, "shradm") == done(shell_on(), "shradm")


def test_what_is_typed_is_journalled_and_done_again() -> None:
    shell = shell_on(at_s=6)
    for line in (
        "charge -K 20s 50",
        "lim a1 shares=1 usage=5e5",
        "slxqt -u a2 -c 2 cc",
        "renice 30 -u b1",
        "login b1",
    ):
        done(shell, line)
        shell.session.machine.advance_to(shell.session.machine.now_s + 3)
    shell.session.machine.advance_to(60)
    again = Machine(shell.session.machine.scenario)
    again.replay(shell.session.machine.journal)
    again.advance_to(60)
    assert same(again, shell.session.machine)


def test_shradm_changes_who_gets_the_cpu() -> None:
    """FIXEDPRI: with 2/3 and 1/3 of the shares the CPU is split so, whatever was used before."""
    machine = Machine(scenario_of(TREE, loops=("a1", "b1"), usage={"a1": 1e9}))
    assert run(machine, "shradm FIXEDPRI").status == 0
    machine.advance_to(100)
    assert split(machine, 400) == pytest.approx({"a1": 200 / 3, "b1": 100 / 3}, abs=0.5)


def test_lengths_of_time_are_reported_in_their_largest_unit_and_delta_to_a_tenth() -> None:
    shell = shell_on(at_s=5.75)
    answer = done(shell, "shradm -K 8")
    expected = "In force at the next delta, in 2.2 s:\n policy.half_life_s  120 s -> 8 h"
    assert answer == expected
    next_delta(shell)
    for line in ("charges", "shradm", "shrview -c"):
        assert says(done(shell, line), "experiments.half-life-h", half_life="8")


def test_settings_under_which_feedback_hunts_are_warned_of() -> None:
    """Only by the command that asks for them, and only under feedback."""
    shell = shell_on()
    assert "warning" not in done(shell, "shradm policy.nu=1.001")
    answer = done(shell, "shradm policy.name=feedback").partition("\nwarning: ")[2]
    assert says(answer, "policies.feedback-may-set-nu-to", what="hunt")
    assert says(answer, "policies.nu-is-too-small-for", nu="1.001")
    answer = done(shell, "shradm -Z 0.01")
    assert "warning" not in answer
    answer = done(shell, "shradm policy.k_mu=2").partition("\nwarning: ")[2]
    gains = wording("policies.at-level", gain="2", level="1")
    assert says(answer, "policies.feedback-may-swing-k-mu", gains=gains)
