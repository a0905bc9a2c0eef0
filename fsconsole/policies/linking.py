"""How numba is made to compile many small functions in little time: LLVM sees all of them once, together.

Left alone, numba optimises each function, with all that it calls, and makes machine code of it: a function
four calls below an entry is optimised five times. Here what is called is kept as it was lowered, and the
entry is linked with all of it and optimised.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, arg-type"

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import _dynfunc, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering


class _Part(JITCodeLibrary):
    """The code of a function that others call, as it was lowered."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True


class _Whole(JITCodeLibrary):
    """The code of an entry, linked with its parts and theirs."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001

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
        # numba knows a function by an object that Python could call; nobody calls this one.
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


@contextmanager
def _quickly(context: Any) -> Iterator[None]:
    """Type each operation on the same types once, and without looking for garbage.

    For each `+`, numba tries dozens of implementations, and formats why each of the others does not fit.
    """
    if "resolve_function_type" in vars(context):  # a function that an outer one calls
        yield
        return
    known: dict[Any, Any] = {}
    resolve, collects = context.resolve_function_type, gc.isenabled()

    def resolve_once(function: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(function, types.Function):
            return resolve(function, args, kws)
        key = function, tuple(args), ConfigStack().top().nrt
        if key not in known:
            known[key] = resolve(function, args, kws)
        return known[key]

    context.resolve_function_type = resolve_once
    gc.disable()
    try:
        yield
    finally:
        del context.resolve_function_type
        if collects:
            gc.enable()


class PartCompiler(CompilerBase):
    """Compiles what others call."""

    lowering: Any = _LowerPart

    def compile_extra(self, func: Any) -> Any:
        """As numba's, in less time."""
        with _quickly(self.state.typingctx):
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """As numba's, but for the last step."""
        (made,) = Compiler.define_pipelines(self)
        made.passes = [
            (self.lowering if step is NativeLowering else step, what) for step, what in made.passes
        ]
        made._finalized = False  # noqa: SLF001
        made.finalize()
        return [made]


class WholeCompiler(PartCompiler):
    """Compiles an entry."""

    lowering = _LowerWhole
