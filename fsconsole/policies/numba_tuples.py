"""Named tuples of arrays as compiled functions pass them: by reference, and without reference counts.

Passed by value, the twenty arrays of a tuple are 140 arguments of each call, which take LLVM and numba most
of their time; counting references to each costs more than a step of a small machine.
"""

# mypy: disable-error-code="no-untyped-call, override"

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any, get_type_hints

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.errors import NumbaTypeError
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, register_model

from fsconsole.policies.state import Table
from fsconsole.shares.flat import Bools, Floats, Ints

_KINDS: tuple[tuple[Any, Any], ...] = (
    (int, types.int64),
    (float, types.float64),
    (bool, types.boolean),
    (Ints, types.int64[::1]),
    (Floats, types.float64[::1]),
    (Bools, types.boolean[::1]),
    (Table, types.float64[:, ::1]),
)


class Borrowed(types.Type):
    """The type of a named tuple that is passed by reference."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        # Functions are named after the types of their arguments, so the name is short.
        digest = sha256(str(whole).encode()).hexdigest()[:8]
        super().__init__(f"{whole.instance_class.__name__}{digest}")

    @property
    def key(self) -> Any:
        """The tuple's type, which identifies this type for numba."""
        return self.whole


@register_model(Borrowed)
class _BorrowedModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, manager[kind.whole].get_value_type().as_pointer())


@infer_getattr
class _BorrowedAttributes(AttributeTemplate):
    key = Borrowed

    def generic_resolve(self, kind: Any, name: str) -> Any:
        fields = kind.whole.fields
        return kind.whole.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Borrowed)
def _attribute(_: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return builder.load(cgutils.gep_inbounds(builder, value, 0, kind.whole.fields.index(name)))


def _bare(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the tuple without the reference counters of its arrays."""
    parts = []
    for at, part in enumerate(kind.types):
        made = builder.extract_value(value, at)
        if isinstance(part, types.Array):
            array = context.make_array(part)(context, builder, made)
            array.meminfo = ir.Constant(array.meminfo.type, None)
            made = array._getvalue()  # noqa: SLF001
        parts.append(made)
    return context.make_tuple(builder, kind, parts)


def _borrow(_: Any, value: Any) -> Any:
    """Return a reference to a named tuple; the caller must keep its arrays alive."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bare = _bare(context, builder, signature.args[0], arguments[0])
        return cgutils.alloca_once_value(builder, bare)

    return Borrowed(value)(value), generate


borrowed: Any = intrinsic(_borrow)


@cache
def borrowed_kind(whole: Any) -> Borrowed:
    """Return the type of a borrowed tuple, from the annotations of its class."""
    hints = get_type_hints(whole).values()
    parts = [next(kind for annotated, kind in _KINDS if annotated == hint) for hint in hints]
    return Borrowed(types.BaseTuple.from_types(parts, whole))


def _call_at(_: Any, address: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Call the function at an address with two borrowed tuples and two integers; return nothing."""
    for given in (first, second):
        if given != borrowed_kind(given.whole.instance_class):
            msg = f"{given.whole} does not have the types that its class declares"
            raise NumbaTypeError(msg)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        made = ir.FunctionType(context.get_value_type(types.void), kinds)
        builder.call(builder.inttoptr(arguments[0], made.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(types.int64, first, second, types.int64, types.int64), generate


call_at: Any = intrinsic(_call_at)
