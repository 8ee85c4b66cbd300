"""No statement is given more values than a database takes."""

import pytest

from book.rows.batches import AT_ONCE, in_batches


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 7])
def test_all_values_come_in_their_order_in_batches_of_the_limit(count: int) -> None:
    batches = list(in_batches(iter(range(count))))
    assert [value for batch in batches for value in batch] == list(range(count))
    assert all(len(batch) == AT_ONCE for batch in batches[:-1])
    assert all(0 < len(batch) <= AT_ONCE for batch in batches)
