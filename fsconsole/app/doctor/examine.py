"""All rules, and their findings on a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

from fsconsole.app.doctor import (
    association_rules,
    billing_rules,
    priority_rules,
    qos_rules,
    queue_rules,
    settings_rules,
    tree_rules,
)
from fsconsole.app.doctor.catalogue import CATALOGUE, Grade
from fsconsole.app.doctor.rule import Finding, Rule
from fsconsole.app.doctor.site import Site


def _has_settings(site: Site) -> bool:
    return bool(site.printed)


_IS_READ: dict[ModuleType, Callable[[Site], bool]] = {
    priority_rules: _has_settings,
    billing_rules: _has_settings,
    settings_rules: _has_settings,
    association_rules: lambda site: site.shares is not None or bool(site.limits),
    qos_rules: lambda site: bool(site.qos),
    tree_rules: lambda _: True,
    queue_rules: lambda site: bool(site.jobs or site.partitions or site.nodes),
}
_PLACED = {one: module for module in _IS_READ for one in vars(module).values() if isinstance(one, Rule)}
_PLACED |= dict.fromkeys(tree_rules.REMARKED.values(), tree_rules)
_ORDER = [row[0] for row in CATALOGUE]
RULES: tuple[Rule, ...] = tuple(sorted(_PLACED, key=lambda one: _ORDER.index(one.id)))


def applying(site: Site) -> list[Rule]:
    """Return the rules that can find anything in the known data of a site."""
    read = [one for one in RULES if _IS_READ[_PLACED[one]](site) and not one.whole & site.partial]
    return [one for one in read if one.id not in tree_rules.REMARKED or one.id in site.checked]


def examine(site: Site, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """Return the findings of the rules, the worst first."""
    order = list(Grade)
    able = [rule for rule in rules if not rule.whole & site.partial]
    found = [Finding(rule, hit, site.lines.get(hit.where, 0)) for rule in able for hit in rule.check(site)]
    return sorted(found, key=lambda one: order.index(one.rule.grade))


def as_text(site: Site, found: Sequence[Finding]) -> Iterator[str]:
    """Yield lines: a finding each, with evidence, source, fix and effect below it."""
    if not found:
        yield f"{site.name}: no findings from {len(applying(site))} applicable rules of {len(RULES)}."
        return
    counts = [(grade, sum(one.rule.grade is grade for one in found)) for grade in Grade]
    yield f"{site.name}: {', '.join(f'{count} {grade}' for grade, count in counts if count)}"
    for one in found:
        line = f", line {one.line}" if one.line else ""
        where = f" ({one.hit.where}{line})" if one.hit.where else ""
        yield ""
        yield f"{one.rule.grade}: {one.rule.title}{where} [{one.rule.id}]"
        yield f"  evidence: {one.hit.evidence}"
        yield f"  source:   {one.rule.source}"
        yield f"  fix:      {one.hit.fix}"
        yield f"  effect:   {one.hit.effect}"
