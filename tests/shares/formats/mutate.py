"""Read, check and write mutated files of every format: `python -m tests.shares.formats.mutate COUNT`."""

from __future__ import annotations

import random
import sys
import time
import traceback

from fsconsole.shares.formats import Format, format_named
from fsconsole.shares.scenario.problems import ScenarioError
from tests.shares.example_files import CHECKOUT
from tests.shares.formats.dialects import EXAMPLES, OTHER_FORMS
from tests.shares.formats.mutations import mutated


def own_forms() -> dict[str, str]:
    """Texts of the formats that are no other scheduler's, or Slurm's."""
    dump = (CHECKOUT / "tests/data/slurm/running-dump.cfg").read_text()
    yaml = (CHECKOUT / "example_trees/two-organisations.yaml").read_text()
    return {
        "slurm": dump,
        "yaml": yaml,
        "sharecf": format_named("sharecf").write(format_named("slurm").read(dump)),
    }


def take(form: Format, text: str) -> bool:
    """Do with a text all that the program does with a file; whether it could be read."""
    try:
        scenario = form.read(text)
    except ScenarioError:
        return False
    form.lines(text)
    list(form.rules(scenario.tree))
    form.lost(scenario)
    try:
        again = form.write(scenario)
    except ScenarioError:
        return True
    form.read(again)  # what a format writes can be read
    return True


def main() -> int:
    """Mutate as many texts as asked for, over all formats; print each fault with its seed."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    texts = [(name, text) for found in (EXAMPLES, OTHER_FORMS, own_forms()) for name, text in found.items()]
    read = faults = 0
    begun = time.monotonic()
    for number in range(seed, seed + count):
        name, text = texts[number % len(texts)]
        try:
            read += take(format_named(name), mutated(text, random.Random(number)))
        except Exception:  # noqa: BLE001 (each is a finding)
            faults += 1
            if faults <= 20:
                print(name, number, traceback.format_exc(limit=-3), flush=True)
    took = time.monotonic() - begun
    print(f"{count:,} texts from seed {seed}: {read:,} read, {faults} faults, {took:.0f} s")
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
