"""Sixteen integers side by side, compared with a limit at once.

Processors compare several numbers with one instruction. LLVM alone compares one number after another, which
takes ten times as long.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

BITS = 4  # The lowest bits of a place number the sixteen.
BRANCHES = 1 << BITS
LAST = BRANCHES - 1

_INT, _INDEX = ir.IntType(64), ir.IntType(32)
_VECTOR = ir.VectorType(_INT, BRANCHES)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
_FIRST_EVERYWHERE = ir.Constant(ir.VectorType(_INDEX, BRANCHES), [0] * BRANCHES)


def _at_most(_: Any, row: Any, limit: Any) -> Any:
    """Return a bit mask of the numbers of a row, int64 [16], that are at most a limit, lowest bit first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        numbers = builder.load(builder.bitcast(array.data, _VECTOR.as_pointer()), align=8)
        limits = builder.insert_element(_UNDEFINED, arguments[1], _INDEX(0))
        limits = builder.shuffle_vector(limits, _UNDEFINED, _FIRST_EVERYWHERE)
        are = builder.icmp_signed("<=", numbers, limits)
        return builder.zext(builder.bitcast(are, ir.IntType(BRANCHES)), _INT)

    return types.int64(row, types.int64), generate


def _first_bit(_: Any, bits: Any) -> Any:
    """Return the position of the lowest set bit, counted from 0; at least one must be set."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


at_most: Any = intrinsic(_at_most)
first_bit: Any = intrinsic(_first_bit)
