"""Reading bytes one after the other, within limits."""

from typing import BinaryIO

from book.errors import InvalidRecord


class Source:
    """The bytes of a file from its beginning on; `at` is how many have been taken.

    No more than `most` bytes are read of it.
    """

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._most = most
        self.at = 0

    def take(self, count: int, what: str) -> bytes:
        """The next `count` bytes, which are `what` in a message.

        Raises:
            InvalidRecord: if the file ends before, or has too many.
        """
        taken = self.up_to(count)
        if len(taken) < count:
            raise InvalidRecord(f"it breaks off at byte {self.at:,}, within {what}")
        return taken

    def up_to(self, count: int) -> bytes:
        """The next `count` bytes, or fewer at the end of the file."""
        taken = self._file.read(count)
        self.at += len(taken)
        if self.at > self._most:
            raise InvalidRecord(f"it has more than {self._most:,} bytes: split it")
        return taken

    def number(self, size: int, what: str, *, signed: bool = False) -> int:
        """The next `size` bytes as a number, the lowest first."""
        return int.from_bytes(self.take(size, what), "little", signed=signed)

    def is_at_end(self) -> bool:
        """Whether nothing is left; takes a byte if something is."""
        return not self.up_to(1)

    def rest(self) -> bytes:
        """All that is left, up to the limit.

        Raises:
            InvalidRecord: if there is more.
        """
        return self.up_to(self._most - self.at + 1)
