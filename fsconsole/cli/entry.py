"""Entry of the program. Ctrl+C while the command line is imported ends it without a traceback."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and end with its exit status."""
    try:
        from fsconsole.cli.main import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.stderr.write("fsconsole: Interrupted.\n")
        sys.exit(130)
