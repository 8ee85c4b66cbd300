"""Writing a site: a folder that any web server delivers as it is."""

import json
from hashlib import blake2b
from pathlib import Path

from flask import Flask

from book.storage.address import AnyAddress
from book.whole.moment import Moment
from book.whole.pieces import write_pieces
from engine import __version__
from engine.game import Game
from service.http.pages import MODULES, static_files

_MARK = "fivebook-site.json"
_SCRIPT = "app.js"
# What answers from pieces takes the place of what asks a service.
_ANSWERS = "api.js"
_BESIDE_MODULES = ("favicon.svg", "page.css", "theme.js")


def write_site(address: AnyAddress, game: Game, folder: Path) -> None:
    """Write the site of `game` into an empty `folder`.

    All but the page itself lies in a folder that is called by its content, so that a browser or a
    cache may keep it for good.

    Raises:
        BookError: if the book cannot be read.
        OSError: if the files cannot be written.
    """
    content = folder / "content"
    content.mkdir()
    with Moment(address) as book:
        pieces = write_pieces(book, game, content)
    told = {
        "game": game.id,
        "title": game.title,
        "positions": pieces.positions,
        "index_bits": pieces.index_bits,
        "moved": game.accuracy.moved,
    }
    (content / "site.json").write_text(json.dumps(told))
    _write_modules(content / "static")
    edition = _digest(content)
    content.rename(folder / edition)
    (folder / "index.html").write_text(_page(edition))
    (folder / _MARK).write_text(json.dumps({"version": __version__, "edition": edition}))


def is_site(folder: Path) -> bool:
    """Whether a folder is one that was written here, with nothing else in it.

    Raises:
        OSError: if it cannot be read.
    """
    try:
        mark = json.loads((folder / _MARK).read_text())
    except (FileNotFoundError, ValueError):
        return False
    names = {path.name for path in folder.iterdir()}
    return isinstance(mark, dict) and names <= {_MARK, "index.html", mark.get("edition")}


def _write_modules(folder: Path) -> None:
    folder.mkdir()
    files = static_files()
    for name in (_SCRIPT, *MODULES[_SCRIPT], *_BESIDE_MODULES):
        (folder / name).write_bytes(files[name])
    (folder / _ANSWERS).write_bytes(Path(__file__).with_name(_ANSWERS).read_bytes())


def _digest(folder: Path) -> str:
    """A name for what is in a folder: another one where anything differs."""
    digest = blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _page(edition: str) -> str:
    templates = Flask("service.http").jinja_env
    return templates.get_template("board.html").render(
        is_site=True,
        version=__version__,
        modules=MODULES,
        static=lambda name: f"{edition}/static/{name}",
        url_for=lambda _: "./",
    )
