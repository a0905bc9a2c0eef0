"""`pl`, `rates`, `charges` and `shrview` say what the papers' machines do."""

from __future__ import annotations

import pytest

from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from tests.machine.shell.shells import done, next_delta, raw, refused, series, shell_on
from tests.texts import says, span, wording


def test_series_1_intended_and_effective_and_actual() -> None:
    """Junglas section 8: 25 25 16.7 16.7 16.7 %, when what the system groups hold is left out."""
    found = raw(series(1, 600), "rates -u -x")
    assert list(found) == ["u11", "u12", "u21", "u22", "u23"]
    for name, values in found.items():
        share = 1 / 4 if name < "u2" else 1 / 6
        assert values["allocated"] == pytest.approx(share)
        assert values["effective"] == pytest.approx(share, abs=0.005)
        assert values["cpu_rate"] == pytest.approx(share, abs=0.005)


def test_idle_system_groups_hold_nine_tenths_unless_left_out() -> None:
    found = raw(series(1, 100), "rates -u --system")
    assert found["daemon"]["allocated"] == pytest.approx(0.45)
    assert found["u11"]["allocated"] == pytest.approx(0.025)
    assert raw(series(1, 100), "rates")["gr1"]["allocated"] == pytest.approx(0.5)


def test_the_bars_of_series_6() -> None:
    """u11, u21 and u22 end at 50, 40 and 10 %: bars of 26 columns with | at 13, 10 and 3."""
    lines = done(series(6, 970), "rates -u").split("\n")
    assert lines[0].split() == ["0%", "100%", "cpu", "effective"]
    expected = [
        "u11  " + "*" * 13 + "|",
        "u21  " + "*" * 10 + "|",
    ]
    assert [line[:5] + line[5:32].rstrip() for line in lines[1:3]] == expected
    assert lines[3].index("|") == 5 + 3
    wanted = [
        "* actual  ! effective  | intended",
        wording("machine.shell.100-is-machine-without-system"),
    ]
    assert lines[-2:] == wanted
    assert [float(line[32:].split()[0]) for line in lines[1:4]] == pytest.approx([50, 40, 10], abs=0.5)


def test_pl_has_all_quantities_of_section_6() -> None:
    text = done(series(6, 970), "pl u21")
    name, shares, allocated = text.split("\n")[:3]
    assert name.split() == ["u21", "logged", "in"]
    machine = {"later": "", "machine_share": "3.81 %"}
    of = {"shares": "800", "siblings": "1000", "group_name": "gr2", **machine}
    assert shares == wording("machine.shell.shares-of-in-machine", **of)
    assert allocated.split()[:4] == ["allocated", "share", "40.0", "%"]
    for word in (
        "effective share 40.",
        "CPU 40.",
        "usage 4.1",
        "normalised 10",
        "charge 22",
        "CPU s   1 process",
    ):
        assert word in text


def test_pl_of_groups_root_newcomers_and_everybody() -> None:
    shell = shell_on(at_s=10)
    name, shares = done(shell, "pl A").split("\n")[:2]
    assert name.split() == ["A", "group,", "active"]
    machine = {"later": "", "machine_share": "66.67 %"}
    of = {"shares": "2", "siblings": "3", "group_name": "root", **machine}
    assert shares == wording("machine.shell.shares-of-in-machine", **of)
    assert done(shell, "pl root").split()[:4] == ["root,", "exempt", "0", "processes,"]
    assert done(shell, "pl a2").split("\n")[0].split() == ["a2", "not", "active"]
    assert "normalised -\n" in done(shell, "pl a2")
    assert list(raw(shell, "pl -a")) == ["a1", "b1"]
    done(shell, "lim -n /B/new shares=3")
    assert done(shell, "pl new") == wording("machine.shell.joins-at-next-delta-in", name="new", session="2 s")
    later = wording("machine.shell.from-next-delta")
    of = {"shares": "1", "siblings": "4", "group_name": "B", "later": later}
    assert says(done(shell, "pl b1"), "machine.shell.shares-of-in-machine", **of)
    next_delta(shell)
    assert says(
        done(shell, "pl new"), "machine.shell.shares-of-in-machine", shares="3", siblings="4", later="B"
    )


@pytest.mark.parametrize(
    ("hours", "decay"), [(8, "0.9999037342"), (24, "0.9999679104"), (168, "0.9999954157")]
)
def test_k_of_equation_6_to_ten_digits(hours: int, decay: str) -> None:
    shell = shell_on()
    done(shell, f"charge -K {hours}")
    answer = done(shell, "shrview -c")
    assert wording("machine.shell.k-decayusage", policy=decay) + "\n" in answer
    assert done(shell, "shrview consts") == done(shell, "shrview shconsts")


def test_charges_has_the_share_kernels_constants() -> None:
    """Defaults of charge(1), and half-lives of priorities of 2 s and 60 s."""
    words = done(shell_on(), "charges -v").split("   ")
    text = " ".join(" ".join(words).split())
    for word in ("DecayUsage 0.9771599", "DecayRate 0.8408964", "PriDecay 0.988514", "PriDecayBase 27"):
        assert word in text
    expected = "nice 0: 0.77 s nice 20: 1.97 s nice 39: 60 s"
    assert expected in text
    expected = "half-life 120 s   delta 4 s   rate filter 4 s\n flags SHARE   max depth none"
    assert expected in done(shell_on(), "charges")
    clock = [
        wording("machine.shell.clock-1-s", hz="60"),
        wording("machine.shell.priorities-decay-each", decay_interval_s=span(s=1)),
        wording("machine.shell.sharer-each", sharer_interval_s=span(s=240)),
        "processors 1",
    ]
    assert " ".join(clock) in text
    changed = shell_on()
    done(changed, "charge -K 8 -F 7")
    assert says(done(changed, "charges"), "experiments.half-life-h", half_life="8")
    flags = done(changed, "charges").partition("flags ")[2]
    assert flags.split()[:3] == ["NOSHARE", "ADJGROUPS", "LIMSHARE"]
    assert done(changed, "charges -") == done(shell_on(), "charges")
    assert refused(changed, "charges x").startswith(
        "charges: " + wording("app.forecast.has-no", name="'x'", what="meaning", text="", near="here")
    )


def test_the_tree_with_shares_and_use() -> None:
    lines = done(shell_on(at_s=100), "shrview").split("\n")
    answer = lines[0].split("  ")[0]
    assert answer == "node"
    assert [line.split()[:2] for line in lines[1:]] == [
        ["root", "1"], ["A", "2"], ["a1", "3"], ["a2", "1"], ["B", "1"], ["b1", "1"]
    ]  # fmt: skip
    assert lines[3].split()[2:4] == ["50.00", "66.7"]
    assert says(refused(shell_on(), "shrview const"), "shares.scenario.did-you-mean", repr="consts")


def test_nobody_there() -> None:
    shell = shell_on()
    done(shell, "kill -u a1")
    done(shell, "kill -u b1")
    assert refused(shell, "rates -u") == "rates: " + wording("machine.shell.no-user-is-active-rates")
    assert done(shell, "ps") == "no process"
    assert done(shell, "who") == "nobody"


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_all_is_shown_under_every_policy(policy: str) -> None:
    shell = series(6, 30, {"policy.name": policy})
    for line in ("pl -a", "rates", "rates -u -a", "charges -v", "shradm", "shrview", "ps", "who", "sharesh"):
        assert "nan" not in done(shell, line)
    assert f"policy {policy}" in done(shell, "charges")


def test_who_is_removed_at_the_next_delta_is_shown_until_then() -> None:
    """Design may remove somebody with processes, which a shell's remshent refuses."""
    shell = shell_on("a1", "b1", people={"ana": ("a1", "b1")}, at_s=1)
    done(shell, "login ana")
    done(shell, "sl ana")
    machine = shell.session.machine
    machine.act(ChangeTree((Remove(machine.tree.find("a1").id),)))
    assert "(removed)" in done(shell, "ps")
    assert "(removed)" in done(shell, "who")
    for line in ("rates -u", "pl -a", "shrview", "sharesh", "charges -v"):
        assert "a1" not in done(shell, line)
    assert shell.run("run cc").status == 1
    assert refused(shell, "login ana") == (
        "login: " + wording("machine.shell.account-on-which-works-was", reference="ana")
    )
    next_delta(shell)
    assert says(done(shell, "run cc"), "machine.started-charged-to", ids="b1")
    assert done(shell, "ps").count("(removed)") == 0
