"""Fast compilation of many small functions with numba: LLVM optimises all of them once, together.

By default, numba optimises each function with all its callees into machine code: a function four calls below
an entry is optimised five times. Here callees are kept as lowered, and an entry is linked with all of them
and optimised once; numba does so twice, first to remove needless reference counts. Passes for language
features that do not occur here are left out.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, arg-type"

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

from numba import _dynfunc, types
from numba.core import errors, event
from numba.core.base import BaseContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.target_extension import get_local_target
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import DumpParforDiagnostics, InlineOverloads, NativeLowering
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)
from numba.core.utils import order_by_target_specificity

# No function here uses the features of these passes: `with`, inner functions, computed `raise`, `literally`.
_NOT_FOR_US = {
    WithLifting,
    InlineClosureLikes,
    RewriteDynamicRaises,
    MakeFunctionToJitFunction,
    FindLiterallyCalls,
    LiteralUnroll,
    LiteralPropagationSubPipelinePass,
    InlineOverloads,
    DumpParforDiagnostics,
}


class _Part(JITCodeLibrary):
    """The lowered code of a function that others call."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True


class _Whole(JITCodeLibrary):
    """The code of an entry, linked with all its parts."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()  # noqa: SLF001
        passes.run(self._final_module, builder)

    def add_linking_library(self, library: Any) -> None:
        if library not in self._linking_libraries:
            super().add_linking_library(library)
            for part in library._linking_libraries if isinstance(library, _Part) else ():  # noqa: SLF001
                self.add_linking_library(part)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        done = state["cr"]
        # Numba identifies a function by an object that Python could call; this one is never called.
        module, name = done.fndesc.lookup_module(), done.fndesc.qualname
        stand_in = _dynfunc.make_function(module, name, "", 0, done.env, (state.library,))
        state.targetctx.insert_user_function(stand_in, done.fndesc, [state.library])
        state["cr"] = _LowerResult(done.fndesc, done.call_helper, cfunc=stand_in, env=done.env)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerWhole(NativeLowering):
    _name = "lower_whole"

    def run_pass(self, state: Any) -> bool:
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


def _fitting(context: Any, function: Any, args: Any) -> Any:
    """Find a builtin function's signature for arguments of these types, as numba does; None if none fits.

    numba formats the reason why each of the dozens of implementations of a `+` does not fit, and tries each
    of them twice, with the types and with those of literals, which are equal without literals.
    """
    plain = tuple(types.unliteral(kind) for kind in args)
    for template in order_by_target_specificity(
        get_local_target(context), function.templates, fnkey=function.key[0]
    ):
        made = template(context)
        tries = (args, plain) if made.prefer_literal else (plain, args)
        for kinds in tries if args != plain else (plain,):
            with suppress(errors.NumbaError):
                signature = made.apply(kinds, {})
                if signature is not None:
                    function._impl_keys[signature.args] = made.get_impl_key(signature)  # noqa: SLF001
                    return signature
    return None


_get_function, _get_call_type = BaseContext.get_function, BaseFunction.get_call_type


def _get_implementation(self: Any, function: Any, signature: Any, **rest: Any) -> Any:
    """Find an implementation as numba does, but skip one that plain arrays do not have.

    numba asks for it at each use of an array, and searches all its lists for new ones then.
    """
    if function == "__array__" and isinstance(signature.args[0], types.Array):
        raise NotImplementedError
    return _get_function(self, function, signature, **rest)


_NO_COLOURS = SimpleNamespace(
    **dict.fromkeys(("code", "errmsg", "filename", "indicate", "highlight", "reset"), str)
)


def _ignore(*_: Any) -> None:
    """Replace a function that would have no effect here."""


@contextmanager
def _replaced(*replaced: tuple[Any, str, Any]) -> Iterator[None]:
    """Replace attributes (owner, name, new value) within a `with` block and restore them afterwards."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    try:
        for owner, name, new in replaced:
            setattr(owner, name, new)
        yield
    finally:
        for owner, name, old in before:
            setattr(owner, name, old)


@contextmanager
def _quickly() -> Iterator[None]:
    """Resolve each operation on the same types once and suspend garbage collection within a `with` block.

    Errors, which numba raises and catches by the thousand, are not coloured, and events are not sent.
    """
    # An outer `_quickly` is active, so this function is called by another one.
    if BaseFunction.get_call_type is not _get_call_type:
        yield
        return
    known: dict[Any, Any] = {}
    collects = gc.isenabled()

    def get_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(self, types.Function):
            return _get_call_type(self, context, args, kws)
        key = self, context, tuple(args), ConfigStack().top().nrt
        if key not in known:
            known[key] = _fitting(context, self, tuple(args)) or _get_call_type(self, context, args, kws)
        return known[key]

    gc.disable()
    try:
        with _replaced(
            (BaseFunction, "get_call_type", get_once),
            (BaseContext, "get_function", _get_implementation),
            (errors, "_termcolor_inst", _NO_COLOURS),
            (event, "broadcast", _ignore),
        ):
            yield
    finally:
        if collects:
            gc.enable()


class PartCompiler(CompilerBase):
    """Compiler of functions that others call."""

    lowering: Any = _LowerPart

    def compile_extra(self, func: Any) -> Any:
        """Compile as numba does, in less time."""
        with _quickly():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Return numba's pipeline without needless passes and with the own last pass, `lowering`."""
        (made,) = Compiler.define_pipelines(self)
        made.passes = [
            (self.lowering if step is NativeLowering else step, what)
            for step, what in made.passes
            if step not in _NOT_FOR_US
        ]
        made._finalized = False  # noqa: SLF001
        made.finalize()
        return [made]


class WholeCompiler(PartCompiler):
    """Compiler of an entry."""

    lowering = _LowerWhole
