"""Start of the one-folder build: the program, or a piece of Python that the program starts of itself.

The program runs `sys.executable` with -m or -c: a capture that answers, a process that waits for its group.
In the build that is the program itself, so that it has to understand both.
"""

from __future__ import annotations

import multiprocessing
import runpy
import sys

_FLAGS = ("-I", "-S")  # A build has neither user packages nor a site, so Python needs these flags.


def main() -> None:
    """Run the program, or the module or text that is named."""
    multiprocessing.freeze_support()
    words = sys.argv[1:]
    while words and words[0] in _FLAGS:
        words.pop(0)
    if len(words) > 1 and words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif len(words) > 1 and words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        exec(compile(words[1], "<text>", "exec"), {"__name__": "__main__"})
    else:
        from fsconsole.cli.entry import main as program

        program()


if __name__ == "__main__":
    main()
