"""``fivebook serve``."""

from typing import Any

import click

from book.reader import BookReader
from book.storage.address import Address
from fivebook.config import config_option
from fivebook.options import BOOK, DURATION, POSITIVE, TABLE, THREADS
from service.http.settings import AccessLog, Settings, help_of

_DEFAULTS = Settings()


@click.command()
@click.argument("books", nargs=-1, type=BOOK, metavar="[BOOK]...")
@click.option("--host", default=_DEFAULTS.host, show_default=True, help=help_of("host"))
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=_DEFAULTS.port,
    show_default=True,
    help=help_of("port"),
)
@click.option(
    "--allowed-hosts",
    metavar="NAMES",
    default=_DEFAULTS.allowed_hosts,
    help=help_of("allowed_hosts"),
)
@click.option(
    "--movetime",
    type=DURATION,
    default=_DEFAULTS.movetime,
    help=help_of("movetime"),
)
@click.option(
    "--movetime-cap",
    type=DURATION,
    default=_DEFAULTS.movetime_cap,
    help=help_of("movetime_cap"),
)
@click.option(
    "--movetime-floor",
    type=DURATION,
    default=_DEFAULTS.movetime_floor,
    help=help_of("movetime_floor"),
)
@click.option(
    "--live-searches",
    type=POSITIVE,
    default=_DEFAULTS.live_searches,
    help=help_of("live_searches"),
)
@click.option(
    "--workers",
    type=POSITIVE,
    default=_DEFAULTS.workers,
    show_default=True,
    help=help_of("workers"),
)
@click.option(
    "--threads",
    type=THREADS,
    default=_DEFAULTS.threads,
    show_default=True,
    help=help_of("threads"),
)
@click.option(
    "--table", type=TABLE, default=_DEFAULTS.table, show_default=True, help=help_of("table")
)
@click.option(
    "--count-misses/--no-count-misses",
    default=_DEFAULTS.count_misses,
    show_default=True,
    help=help_of("count_misses"),
)
@click.option("--live-rate", metavar="RATE", default=_DEFAULTS.live_rate, help=help_of("live_rate"))
@click.option(
    "--rate-storage",
    metavar="URL",
    default=_DEFAULTS.rate_storage,
    show_default=True,
    help=help_of("rate_storage"),
)
@click.option("--cors", metavar="ORIGINS", default=_DEFAULTS.cors, help=help_of("cors"))
@click.option(
    "--url-prefix", metavar="PATH", default=_DEFAULTS.url_prefix, help=help_of("url_prefix")
)
@click.option(
    "--proxies",
    type=click.IntRange(min=0),
    default=_DEFAULTS.proxies,
    show_default=True,
    help=help_of("proxies"),
)
@click.option(
    "--access-log",
    type=click.Choice([kind.value for kind in AccessLog]),
    default=_DEFAULTS.access_log,
    show_default=True,
    help=help_of("access_log"),
)
@config_option
def serve(books: tuple[Address, ...], **options: Any) -> None:
    """Answer positions over HTTP, from the BOOKs where they hold them, else from a live search.

    Of several books that hold a position, one in which it is proven answers, else the first in
    the order given. Without a book every answer is searched. A book may be served while it is
    being built. Ctrl-C ends it.

    An option that is not given is taken from the environment (FIVEBOOK_SERVE_PORT for --port),
    else from the file of --config. A relative path of a book in that file starts from its folder.

    \b
    Examples:
      fivebook serve gomoku.db swap.db --port 8000
      fivebook serve gomoku.db --movetime 200ms --movetime-cap 2s
      fivebook serve --config service.toml --port 9000
      curl 'http://127.0.0.1:8000/api/v1/position?game=gomoku-15&moves=h8,i9'
    """
    # Opened here, not in a worker: a bad book ends the command with one sentence.
    for book in books:
        BookReader(book).close()
    from service.http import server

    server.serve(
        Settings(books=books, **options),
        lambda url: click.echo(f"serving {_count(len(books))} on {url} (Ctrl-C ends)"),
    )


def _count(books: int) -> str:
    return "1 book" if books == 1 else f"{books} books" if books else "live answers only"
