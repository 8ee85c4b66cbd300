"""Where a book is: a file, or a database on a server."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from book.errors import NoAddress

_DRIVER = "postgresql+psycopg"
_POSTGRESQL = ("postgres", "postgresql", _DRIVER)


class Access(Enum):
    """What a book is opened for."""

    READ = "read"
    WRITE = "write"
    """Creates the book where there is none."""


@dataclass(frozen=True, slots=True)
class Address:
    """A book's file, or the URL of a PostgreSQL database. Its text never has the password."""

    place: Path | URL

    @staticmethod
    def of(text: "AnyAddress") -> "Address":
        """The address that `text` stands for: a path, sqlite:///PATH or postgresql://HOST/NAME.

        Raises:
            NoAddress: if it is the URL of something else.
        """
        if isinstance(text, Address):
            return text
        if isinstance(text, Path) or "://" not in text:
            return Address(Path(text))
        try:
            url = make_url(text)
        except (ArgumentError, ValueError):
            raise NoAddress(f"'{text}' cannot be read as the address of a book") from None
        if url.drivername == "sqlite" and url.database:
            return Address(Path(url.database))
        if url.drivername in _POSTGRESQL and url.database:
            return Address(url.set(drivername=_DRIVER))
        raise NoAddress(
            f"'{url}' is no address of a book: those are a path, sqlite:///PATH and "
            "postgresql://USER@HOST/DATABASE"
        )

    @property
    def path(self) -> Path | None:
        """The book's file, None for a database."""
        return self.place if isinstance(self.place, Path) else None

    @property
    def name(self) -> str:
        """A short name, which does not tell where the book is."""
        if isinstance(self.place, Path):
            return self.place.name
        return self.place.database or ""

    def beside(self, ending: str) -> Path:
        """A file that belongs to the book: in its folder, for a database in the current one."""
        folder = self.place.parent if isinstance(self.place, Path) else Path()
        return folder / f"{self.name}.{ending}"

    @property
    def with_password(self) -> str:
        """The text that `of` makes this address of, for another process of the same user."""
        if isinstance(self.place, Path):
            return str(self.place)
        return self.place.render_as_string(hide_password=False)

    def __str__(self) -> str:
        if isinstance(self.place, Path):
            return str(self.place)
        return str(self.place.set(drivername="postgresql"))


AnyAddress = str | Path | Address
