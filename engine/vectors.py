"""Vectors of `LANES` whole numbers in kernels, for which machines have instructions.

Loops over fields of a record do not become such instructions by themselves: the compiler has to
expect that what is written overlaps what is read. Arrays are one-dimensional, and indices are not
checked. Numbers have 16 bits, longs 32, and both wrap.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 32

_Number, _Long = ir.IntType(16), ir.IntType(32)
_Numbers, _Longs = ir.VectorType(_Number, LANES), ir.VectorType(_Long, LANES)
_ADD_UP = f"llvm.vector.reduce.add.v{LANES}i32"
# Arrays in records lie at any even address.
_ALIGNMENT = 2


class _Vector(types.Type):
    """The numbers of a vector, for as long as a kernel runs."""

    def __init__(self, name: str, lanes: ir.VectorType) -> None:
        super().__init__(name)
        self.lanes = lanes


vector: Any = _Vector("vector", _Numbers)
long_vector: Any = _Vector("long vector", _Longs)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.lanes)  # type: ignore[no-untyped-call]


def _in_kernels(function: Callable[..., Any]) -> Any:
    """What `function` types and emits, to be called in kernels without its first argument."""
    return intrinsic(function)


def _place(there: Any, context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of what is `there` in an array of this kind, from `index` on."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), there.as_pointer())


@_in_kernels
def load(typing: Any, array: Any, index: Any) -> Any:
    """The numbers of `array` from `index` on; of int32 they are longs."""
    found = long_vector if array.dtype == types.int32 else vector

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _place(found.lanes, context, builder, array, *given)
        return builder.load(place, align=_ALIGNMENT)

    return found(array, types.intp), emit


@_in_kernels
def store(typing: Any, array: Any, index: Any, numbers: Any) -> Any:
    """Write a vector to `array`, of int16 or int32 as its numbers are, from `index` on."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _place(numbers.lanes, context, builder, array, *given[:2])
        builder.store(given[2], place, align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, types.intp, numbers), emit


@_in_kernels
def none(typing: Any) -> Any:
    """Zeros."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return ir.Constant(_Numbers, None)

    return vector(), emit


@_in_kernels
def no_longs(typing: Any) -> Any:
    """Zeros, as longs."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return ir.Constant(_Longs, None)

    return long_vector(), emit


@_in_kernels
def add(typing: Any, left: Any, right: Any) -> Any:
    """The sums."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.add(*given)

    return vector(vector, vector), emit


@_in_kernels
def subtract(typing: Any, left: Any, right: Any) -> Any:
    """The differences."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.sub(*given)

    return vector(vector, vector), emit


@_in_kernels
def positive(typing: Any, numbers: Any) -> Any:
    """The numbers, 0 in place of those below."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        zero = ir.Constant(_Numbers, None)
        return builder.select(builder.icmp_signed(">", given[0], zero), given[0], zero)

    return vector(vector), emit


@_in_kernels
def add_up(typing: Any, longs: Any, numbers: Any) -> Any:
    """The sums."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.add(given[0], builder.sext(given[1], _Longs))

    return long_vector(long_vector, vector), emit


@_in_kernels
def at_most(typing: Any, longs: Any, most: Any) -> Any:
    """The longs as numbers, `most` in place of those above."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        nothing, first = ir.Constant(_Longs, ir.Undefined), ir.Constant(_Longs, None)
        number = builder.trunc(given[1], _Long)
        one = builder.insert_element(nothing, number, ir.Constant(_Long, 0))
        limits = builder.shuffle_vector(one, nothing, first)
        below = builder.select(builder.icmp_signed("<", given[0], limits), given[0], limits)
        return builder.trunc(below, _Numbers)

    return vector(long_vector, types.int64), emit


@_in_kernels
def dot(typing: Any, left: Any, right: Any) -> Any:
    """The sum of the products, which must be of 32 bits."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        left, right = (builder.sext(each, _Longs) for each in given)
        products = builder.mul(left, right)
        kind = ir.FunctionType(_Long, [_Longs])
        add_all = cgutils.get_or_insert_function(builder.module, kind, _ADD_UP)
        return builder.call(add_all, [products])

    return types.int32(vector, vector), emit
