"""Named tuples handed on by where they stand, and parts that are linked once."""

# ruff: noqa: ANN001, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.errors import TypingError

from fsconsole.policies.compiled import address_of, compiled
from fsconsole.policies.linking import WholeCompiler
from fsconsole.policies.numba_tuples import borrowed, borrowed_kind, call_at
from fsconsole.shares.flat import Bools, Floats, Ints
from tests.texts import refuses

whole: Any = numba.njit(pipeline_class=WholeCompiler)


class Pots(NamedTuple):
    """What pots hold, how much is poured into each, and which have been filled."""

    held: Floats
    portion: int
    filled: Bools


class Rows(NamedTuple):
    """Rows of `Pots`."""

    rows: Ints


@compiled
def _pour(pots, row):  # type: ignore[no-untyped-def]
    pots.held[row] += pots.portion
    pots.filled[row] = True


@compiled
def _pour_all(pots, rows):  # type: ignore[no-untyped-def]
    for row in rows.rows:
        _pour(pots, row)


@whole
def _begin(pots, rows):  # type: ignore[no-untyped-def]
    _pour_all(borrowed(pots), borrowed(rows))


@whole
def _begin_at(address, pots, rows):  # type: ignore[no-untyped-def]
    call_at(address, borrowed(pots), borrowed(rows), 2, 3)


def _pour_more(pots, rows, first, second):  # type: ignore[no-untyped-def]
    for row in rows.rows:
        pots.held[row] += first * second


def _pots() -> Pots:
    return Pots(np.zeros(3), 5, np.zeros(3, np.bool_))


def test_parts_change_the_arrays_of_whoever_lent_them() -> None:
    pots = _pots()
    _begin(pots, Rows(np.array([0, 2, 2])))
    assert pots.held.tolist() == [5.0, 0.0, 10.0]
    assert pots.filled.tolist() == [True, False, True]


def test_a_function_is_called_at_its_address() -> None:
    kinds = borrowed_kind(Pots), borrowed_kind(Rows), types.int64, types.int64
    address, pots = address_of(_pour_more, *kinds), _pots()
    _begin_at(address, pots, Rows(np.array([1])))
    assert pots.held.tolist() == [0.0, 6.0, 0.0]


def test_a_tuple_that_is_not_as_annotated_is_refused_before_anything_runs() -> None:
    wrong: Any = Pots(np.zeros(3, np.float32), 5, np.zeros(3, np.bool_))
    with refuses(TypingError, "policies.does-not-have-types-that"):
        _begin_at(0, wrong, Rows(np.array([1])))
