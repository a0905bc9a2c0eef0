"""Refuse more tests that compare sentences: words stand once, in the golden files of `tests/texts`.

A test compares the key of a text and its values instead; see the head of `tests/texts/__init__.py`. Lower the
number when you have changed some.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent / "tests"
MOST_PERCENT = 7.0
_BLANKS = 2  # A text with this many blanks counts as a sentence.
_HELPERS = ("assert", "check", "expect")
_LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict)


def functions_with_sentences(source: str) -> tuple[list[str], int]:
    """Return the test functions of a module that compare sentences, and the number of all of them."""
    tree = ast.parse(source)
    helpers = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("test")
        and any(isinstance(inner, ast.Assert) for inner in ast.walk(node))
    }
    tests = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    return [test.name for test in tests if any(_sentences(test, helpers))], len(tests)


def _sentences(test: ast.FunctionDef, helpers: set[str]) -> Iterator[ast.AST]:
    names = _names_of_sentences(test)
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            yield from (one for one in ast.walk(node) if _is_sentence(one))
            yield from (one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in names)
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "raises":
            yield from (keyword for keyword in node.keywords if keyword.arg == "match")
        elif name.startswith(_HELPERS) or (name in helpers and name.startswith("_assert")):
            inner = (one for argument in node.args for one in ast.walk(argument))
            yield from (one for one in inner if _is_sentence(one))


def _names_of_sentences(test: ast.FunctionDef) -> set[str]:
    """Return the names that a test gives to sentences, alone or in a table."""
    return {
        target.id
        for node in ast.walk(test)
        if isinstance(node, ast.Assign) and isinstance(node.value, _LITERALS)
        for target in node.targets
        if isinstance(target, ast.Name) and any(_is_sentence(one) for one in ast.walk(node.value))
    }


def _is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") >= _BLANKS


def main() -> int:
    """Count; return the exit status."""
    found: list[str] = []
    total = 0
    for path in sorted(_TESTS.rglob("test_*.py")):
        if "benchmarks" in path.parts:
            continue
        names, tests = functions_with_sentences(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(_TESTS)}: {name}" for name in names]
        total += tests
    if "--list" in sys.argv[1:]:
        sys.stdout.write("".join(f"{line}\n" for line in found))
    if 100 * len(found) > MOST_PERCENT * total:
        sys.stderr.write(
            f"{len(found)} of {total} test functions compare sentences, more than {MOST_PERCENT:g} %. "
            "Compare keys of tests/texts; tools/check_sentences.py --list names them.\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
