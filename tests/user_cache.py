"""Where tests keep what is dear to make: below the cache of the user, not below the home of a test."""

from __future__ import annotations

import os

from platformdirs import user_cache_path

# tests/conftest.py imports this before any test has a home of its own.
USER_CACHE = user_cache_path("fsconsole-tests")
# The programs that tests start find compiled functions where `make run` keeps them.
os.environ.setdefault("NUMBA_CACHE_DIR", str(user_cache_path("fsconsole")))
