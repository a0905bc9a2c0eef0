"""Command lines from this user's other programs to a running console, over a local socket."""
