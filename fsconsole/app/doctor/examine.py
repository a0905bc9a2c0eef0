"""All rules, and their findings on a site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsconsole.app.doctor import association_rules, qos_rules, queue_rules, settings_rules, tree_rules
from fsconsole.app.doctor.rule import Finding, Grade, Rule
from fsconsole.app.doctor.site import Site

RULES: tuple[Rule, ...] = (
    *settings_rules.RULES,
    *association_rules.RULES,
    *qos_rules.RULES,
    *tree_rules.RULES,
    *queue_rules.RULES,
)


def applying(site: Site) -> list[Rule]:
    """Return the rules that can find anything in the known data of a site."""
    is_read = {
        settings_rules.RULES: bool(site.printed),
        association_rules.RULES: site.shares is not None or bool(site.limits),
        qos_rules.RULES: bool(site.qos),
        tree_rules.RULES: True,
        queue_rules.RULES: bool(site.jobs or site.partitions or site.nodes),
    }
    rules = [rule for group, known in is_read.items() if known for rule in group]
    return [rule for rule in rules if rule.id not in tree_rules.REMARKED or rule.id in site.checked]


def examine(site: Site, rules: Sequence[Rule] = RULES) -> list[Finding]:
    """Return the findings of the rules, the worst first."""
    order = list(Grade)
    found = [Finding(rule, hit, site.lines.get(hit.where, 0)) for rule in rules for hit in rule.check(site)]
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
