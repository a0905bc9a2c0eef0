"""Where tests keep what is dear to make: below the cache of the user, not below the home of a test."""

from __future__ import annotations

from platformdirs import user_cache_path

# tests/conftest.py imports this before any test has a home of its own.
USER_CACHE = user_cache_path("fsconsole-tests")
