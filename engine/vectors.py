"""Vectors of `LANES` whole numbers in kernels, for which machines have instructions.

Loops over fields of a record do not become such instructions by themselves: the compiler has to
expect that what is written overlaps what is read. Arrays are one-dimensional, and indices are not
checked. Numbers have 16 bits, longs 32, and both wrap.
"""

from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 32

_Byte, _Number, _Long = ir.IntType(8), ir.IntType(16), ir.IntType(32)
_Bytes = ir.VectorType(_Byte, LANES)
_Numbers, _Longs = ir.VectorType(_Number, LANES), ir.VectorType(_Long, LANES)
_ADD_UP = f"llvm.vector.reduce.add.v{LANES}i64"
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
        limits = _repeated(builder, builder.trunc(given[1], _Long))
        below = builder.select(builder.icmp_signed("<", given[0], limits), given[0], limits)
        return builder.trunc(below, _Numbers)

    return vector(long_vector, types.int64), emit


@_in_kernels
def add_products(typing: Any, longs: Any, columns: Any, index: Any, numbers: Any) -> Any:
    """`longs`, and for each of `numbers` its products with a vector of `columns`.

    These lie in the array from `index` on, in pairs: the first of a pair's one vector, the first of
    its other, the second of the one, and so on. Every sum of products must be of 32 bits.
    """

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        pairs = ([pair, pair + 1] * LANES for pair in range(0, LANES, 2))
        return _with_products(context, builder, signature, given, pairs)

    return long_vector(long_vector, columns, types.intp, vector), emit


@_in_kernels
def add_products_of_halves(typing: Any, longs: Any, columns: Any, index: Any, numbers: Any) -> Any:
    """As `add_products`, but to the first half of the lanes only products with the first half of
    `numbers`, and to the second half those with the second.

    The array has half as many vectors: their first halves are for numbers of the first half.
    """

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        half = LANES // 2
        pairs = (
            [pair, pair + 1] * half + [half + pair, half + pair + 1] * half
            for pair in range(0, half, 2)
        )
        return _with_products(context, builder, signature, given, pairs)

    return long_vector(long_vector, columns, types.intp, vector), emit


@_in_kernels
def add_halves(typing: Any, longs: Any) -> Any:
    """The first half of the longs plus the second, then zeros."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        half = LANES // 2
        zero = ir.Constant(_Longs, None)
        first = builder.shuffle_vector(given[0], zero, _lanes([*range(half), *[LANES] * half]))
        second = builder.shuffle_vector(
            given[0], zero, _lanes([*range(half, LANES), *[LANES] * half])
        )
        return builder.add(first, second)

    return long_vector(long_vector), emit


@_in_kernels
def shift(typing: Any, longs: Any, bits: Any) -> Any:
    """The longs divided by a power of two and rounded down."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ashr(given[0], _repeated(builder, builder.trunc(given[1], _Long)))

    return long_vector(long_vector, types.int64), emit


@_in_kernels
def sum_of_products(typing: Any, longs: Any, numbers: Any) -> Any:
    """The sum of the products, of 64 bits."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        wide = ir.VectorType(ir.IntType(64), LANES)
        products = builder.mul(*(builder.sext(each, wide) for each in given))
        kind = ir.FunctionType(ir.IntType(64), [wide])
        add_all = cgutils.get_or_insert_function(builder.module, kind, _ADD_UP)
        return builder.call(add_all, [products])

    return types.int64(long_vector, vector), emit


@_in_kernels
def at_least(typing: Any, numbers: Any, index: Any, least: Any) -> Any:
    """A bit for each of `LANES` numbers of 8 bits, from `index` on: whether it is that large."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, start, number = given
        place = _place(_Bytes, context, builder, signature.args[0], array, start)
        few = _repeated(builder, builder.trunc(number, _Byte))
        large = builder.icmp_signed(">=", builder.load(place, align=1), few)
        return builder.zext(builder.bitcast(large, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(numbers, types.intp, types.int64), emit


@_in_kernels
def add_bytes(typing: Any, numbers: Any, index: Any, added: Any) -> Any:
    """Add the bytes of `added`, from the lowest, to eight numbers of 8 bits from `index` on.

    No sum may be beyond a byte, and `added` may be less than zero only as the negative of bytes
    that were added before.
    """

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, start, bytes_added = given
        eight = ir.IntType(64)
        place = _place(eight, context, builder, signature.args[0], array, start)
        builder.store(builder.add(builder.load(place, align=1), bytes_added), place, align=1)
        return context.get_dummy_value()

    return types.void(numbers, types.intp, types.int64), emit


@_in_kernels
def lowest(typing: Any, bits: Any) -> Any:
    """The number of the lowest of `bits`, of which there is one."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), emit


@_in_kernels
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Have an entry of `array` brought near, which is soon asked for."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(array)(context, builder, given[0]).data
        place = builder.bitcast(builder.gep(data, [given[1]]), _Byte.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [place.type, _Long, _Long, _Long])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_read, for_long, data = (ir.Constant(_Long, number) for number in (0, 3, 1))
        builder.call(fetch, [place, to_read, for_long, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), emit


@_in_kernels
def uncounted(typing: Any, array: Any) -> Any:
    """The same array, without the count of who refers to it, which threads would wait for."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        same = context.make_array(array)(context, builder, given[0])
        same.meminfo = cgutils.get_null_value(same.meminfo.type)
        return same._getvalue()

    return array(array), emit


def _with_products(
    context: Any, builder: Any, signature: Any, given: Any, pairs: Iterable[list[int]]
) -> Any:
    """Longs, and the sums of the products of pairs of numbers with what lies in an array.

    Each of `pairs` says for all lanes which two numbers.
    """
    total, array, start, factors = given
    both, wide = (ir.VectorType(each, 2 * LANES) for each in (_Number, _Long))
    for number, pair in enumerate(pairs):
        at = builder.add(start, ir.Constant(start.type, 2 * LANES * number))
        place = _place(both, context, builder, signature.args[1], array, at)
        weights = builder.load(place, align=_ALIGNMENT)
        factor = builder.shuffle_vector(factors, factors, _lanes(pair))
        products = builder.mul(builder.sext(weights, wide), builder.sext(factor, wide))
        # In this form it is one instruction of some machines.
        even, odd = (
            builder.shuffle_vector(products, products, _lanes(range(first, 2 * LANES, 2)))
            for first in (0, 1)
        )
        total = builder.add(total, builder.add(even, odd))
    return total


def _lanes(numbers: Iterable[int]) -> ir.Constant:
    """Numbers of lanes, as what shuffles takes them."""
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(_Long, len(chosen)), chosen)


def _repeated(builder: Any, number: Any) -> Any:
    """A vector of numbers that are all this one."""
    nothing = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    one = builder.insert_element(nothing, number, ir.Constant(_Long, 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(_Longs, None))
