"""An action that is declared here alone; run as a program, it says what files make of it.

The form of files is made when it is imported, so that this has a process of its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from fsconsole.shares.scenario.event_kinds import Refers, event, refers
from fsconsole.shares.scenario.ranges import Range


@event("shelve_job", "{by} shelves job {request}", needs_windows=True)
@dataclass(frozen=True, slots=True)
class ShelveJob:
    """Put a job aside for a time."""

    request: int = field(metadata=refers(Refers.REQUEST))
    by: str = field(metadata=refers(Refers.USER, key="asked_by"))
    for_s: float = field(default=60.0, metadata=refers(within=Range(0, 3600, above=True, unit="s")))


WINDOWS = "near_dedicated:\n  queue: nd\n  windows: daily 23:00-07:30\n"
SCENARIO = """\
version: 1
title: Toy
seed: 1
tree:
  name: root
  shares: 100
  children:
    - {name: anna, shares: 50}
    - {name: ben, shares: 50}
queues:
  - {name: nd}
near_dedicated:
  queue: nd
  windows: daily 23:00-07:30
jobs:
  - {name: first, queue: nd, requested_cpu_s: 1h, user: ben}
  - {name: second, queue: nd, requested_cpu_s: 1h, user: anna}
events:
  - {at: 60s, shelve_job: {request: 41871, asked_by: anna, for_s: 5min}}
"""


def main() -> None:
    from fsconsole.policies.words import words_of
    from fsconsole.shares.edits import Remove, Rename
    from fsconsole.shares.scenario import actions
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.read import parse_scenario
    from fsconsole.shares.scenario.remove_references import pruned
    from fsconsole.shares.scenario.rename_references import following, held_names
    from fsconsole.shares.scenario.schema import json_schema
    from fsconsole.shares.scenario.spec import Scenario
    from fsconsole.shares.scenario.write import write_text

    def event_line(scenario: Scenario) -> str:
        return next((line for line in write_text(scenario).splitlines() if "shelve_job" in line), "")

    def faults(text: str) -> list[str]:
        try:
            parse_scenario(text)
        except ScenarioError as error:
            return [f"{one.line}: {one.text}" for one in error.problems]
        return []

    def without(name: str) -> Scenario:
        tree = scenario.tree.copy()
        Remove(tree.find(name).id).apply(tree)
        return pruned(replace(scenario, tree=tree))

    scenario = parse_scenario(SCENARIO)
    (action,) = (one.action for one in scenario.events)
    tree, held = scenario.tree.copy(), held_names(scenario)
    Rename(tree.find("anna").id, "maria").apply(tree)
    renamed = replace(scenario, tree=tree)
    schema = json.loads(json_schema())
    print(
        json.dumps(
            {
                "read": repr(action),
                "written": event_line(scenario),
                "same": parse_scenario(write_text(scenario)).events == scenario.events,
                "journal": actions.to_json(action),
                "back": actions.from_json(actions.to_json(action)) == action,
                "words": actions.words(action),
                "mark": words_of(action, scenario.tree),
                "renamed": event_line(replace(renamed, **following(renamed, held))),
                "without ben": event_line(without("ben")),
                "without anna": event_line(without("anna")),
                "unknown user": faults(SCENARIO.replace("asked_by: anna", "asked_by: dora")),
                "unknown request": faults(SCENARIO.replace("41871", "41880")),
                "bad time": faults(SCENARIO.replace("5min", "5h")),
                "no windows": faults(
                    SCENARIO.replace("near_dedicated:\n  queue: nd\n  windows: daily 23:00-07:30\n", "")
                ),
                "in schema": "shelve_job" in json.dumps(schema),
            }
        )
    )


if __name__ == "__main__":
    main()
