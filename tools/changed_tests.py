"""Run the tests that a change can reach, those nearest to it first.

A file of tests is reached from a module by imports, its own and those of what it imports, down to functions,
and by the fixtures of conftest.py and of plugins that it names. It is reached from any other file by its name
or its room. `BASE` is the commit to compare with; the default is where this branch left main, or on main the
commit before. Changes that are not committed count too.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
_PYTEST = ("pytest", "-q", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
_NONE_RAN = 5  # All that are reached have the mark `whole`.
# What they change cannot be seen in any import.
_FOR_ALL = re.compile(r"pyproject\.toml|resources/setup/.*")
_NAMED = re.compile(r"""(?<=["'\s])(?:fsconsole|tests|tools)(?:\.\w+)+""")
_FILLED = re.compile(r"""f["']((?:fsconsole|tests)\.[\w.]*\{\w+\}[\w.]*)["']""")
_FUNCTIONS = {"example_trees": "examples", "docs": "documents"}  # of fsconsole/resources.py
_PLUGINS = re.compile(r"pytest_plugins = \[(.*?)\]", re.DOTALL)
_HOOK = re.compile(r"^def pytest_|autouse=True", re.MULTILINE)


class Graph:
    """Modules of fsconsole, tests and tools, and which of them need which."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._sources = {
            self.module_of(path.relative_to(root)): path.read_text("utf-8")
            for top in ("fsconsole", "tests", "tools")
            for path in sorted((root / top).rglob("*.py"))
        }
        self._imports = grimp.build_graph(
            "fsconsole", exclude_type_checking_imports=False
        )  # Of what is loaded late, only types are named.

    @staticmethod
    def module_of(path: Path) -> str:
        """Return the name of the module in a file of the checkout."""
        name = ".".join(path.with_suffix("").parts)
        return name.removesuffix(".__init__")

    @cached_property
    def tests(self) -> Mapping[str, str]:
        """The sources of the files of tests, by module."""
        return {
            name: text
            for name, text in self._sources.items()
            if name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")
            and not name.startswith("tests.benchmarks.")
        }  # fmt: skip

    @cached_property
    def needed_by(self) -> Mapping[str, set[str]]:
        """For each module those that need it directly."""
        found: dict[str, set[str]] = defaultdict(set)
        for name, text in self._sources.items():
            for other in (*self._imported(name, text), *self._named(text), *self._fixtures(name, text)):
                if other != name:
                    found[other].add(name)
        return found

    def _imported(self, name: str, text: str) -> Iterator[str]:
        """Yield the modules that a module imports, and the packages that they are in."""
        if name.startswith("fsconsole"):
            found: Iterable[str] = self._imports.find_modules_directly_imported_by(name)
        else:
            found = (one for node in ast.walk(ast.parse(text)) for one in _names(node))
        for one in found:
            while one and one not in self._sources:
                one = one.rpartition(".")[0]
            while one:
                yield one
                one = one.rpartition(".")[0]

    def _named(self, text: str) -> Iterator[str]:
        """Yield the modules that a module names in strings, such as those of programs that it starts."""
        text = _PLUGINS.sub("", text)
        for one in _NAMED.findall(text):
            while one and one not in self._sources:
                one = one.rpartition(".")[0]
            if "." in one:
                yield one
        for one in _FILLED.findall(text):
            pattern = re.compile(re.sub(r"\\\{.*?\\\}", r"\\w+", re.escape(one)))
            yield from (name for name in self._sources if pattern.fullmatch(name))

    def _fixtures(self, name: str, text: str) -> Iterator[str]:
        """Yield the conftests above a module of tests, and the plugins, whose fixtures it names."""
        if not name.startswith("tests."):
            return
        words = set(re.findall(r"\w+", text))
        for place, given in self._givers.items():
            folder = place.rpartition(".")[0] if place.endswith(".conftest") else "tests"
            if name.startswith(f"{folder}.") and (not given or given & words):
                yield place

    @cached_property
    def _givers(self) -> Mapping[str, set[str]]:
        """The conftests and plugins with the names of their fixtures; none of those that reach every test."""
        plugins = _PLUGINS.search(self._sources["tests.conftest"])
        names = set(re.findall(r'"([\w.]+)"', plugins[1] if plugins else ""))
        names |= {name for name in self._sources if name.endswith(".conftest") and name.startswith("tests.")}
        return {
            name: set() if _HOOK.search(self._sources[name]) else _fixtures_of(self._sources[name])
            for name in names & self._sources.keys()
        }

    def reached(self, files: Iterable[str]) -> dict[str, tuple[int, str]]:
        """Return the tests that changed files reach, each with the number of steps and with the file."""
        found: dict[str, tuple[int, str]] = {}
        for file in sorted(files):
            for module, steps in self._from(file):
                if module in self.tests and steps < found.get(module, (99, ""))[0]:
                    found[module] = (steps, file)
        return dict(sorted(found.items(), key=lambda row: (row[1][0], row[0])))

    def _from(self, file: str) -> Iterator[tuple[str, int]]:
        """Yield each module that a file reaches, with the number of steps, nearest first."""
        seen = set(self._starts(file))
        front, steps = seen, 0
        while front:
            yield from ((module, steps) for module in front)
            front = set().union(*(self.needed_by.get(module, set()) for module in front)) - seen
            seen, steps = seen | front, steps + 1

    def _starts(self, file: str) -> Iterator[str]:
        """Yield the modules that a file is, or that name it, and the tests of its room."""
        path = Path(file)
        if _FOR_ALL.fullmatch(file):
            yield from self.tests
        elif path.name == "conftest.py":
            folder = self.module_of(path.parent)
            yield from (name for name in self.tests if name.startswith(f"{folder}."))
        elif path.suffix == ".py":
            yield self.module_of(path)
        else:
            for name, text in self._sources.items():
                if _mention(path, is_test=name in self.tests).search(text):
                    yield name
            if path.parts[0] == "tests":
                room = f"{self.module_of(path.parent)}."
                yield from (name for name in self.tests if name.startswith(room))


@cache
def _mention(path: Path, *, is_test: bool) -> re.Pattern[str]:
    """Return what finds the name of a file, and in tests that of a folder of which they read all files."""
    top = path.parts[0]
    quoted = [path.stem] if is_test or top == "resources" else []
    words = [re.escape(path.name)]
    if is_test:
        quoted.append("data" if top == "tests" else top)
        words += [rf"\b{_FUNCTIONS[top]}\(\)\.r?glob"] if top in _FUNCTIONS else []
    return re.compile("|".join([*words, *(rf"[\"']{re.escape(word)}[\"']" for word in quoted)]))


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _fixtures_of(text: str) -> set[str]:
    """Return the names of the fixtures that a module defines."""
    return {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
        and any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)
    }


def changed_files(base: str) -> list[str]:
    """Return the files that differ from a commit, and those that git does not know yet."""
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", base), *new})


def default_base() -> str:
    """Return the commit where this branch left main; on main, the commit before."""
    (head,) = _git("rev-parse", "HEAD")
    for main in ("main", "origin/main"):
        found = _git("merge-base", main, "HEAD", check=False)
        if found and found[0] != head:
            return found[0]
    return "HEAD~1"


def _git(*words: str, check: bool = True) -> list[str]:
    done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=check)
    return done.stdout.split("\n")[:-1]


def main() -> int:
    """Print which tests run and why, run them, and return pytest's status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="", help="a commit. Default: where this branch left main")
    parser.add_argument("--list", action="store_true", help="print the tests and run none")
    options = parser.parse_args()
    base = options.base or default_base()
    files = changed_files(base)
    reached = Graph().reached(files)
    print(f"{len(files)} files differ from {base[:10]}; {len(reached)} files of tests are reached:")
    for module, (steps, file) in reached.items():
        print(f"  {module.replace('.', '/')}.py: {file}" + (f", {steps} steps" if steps else ""))
    if options.list or not reached:
        return 0
    paths = [f"{module.replace('.', '/')}.py" for module in reached]
    status = subprocess.run((sys.executable, "-m", *_PYTEST, *paths), cwd=ROOT, check=False).returncode
    return 0 if status == _NONE_RAN else status


if __name__ == "__main__":
    sys.exit(main())
