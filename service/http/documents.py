"""The documents that the service sends, as they are declared in its OpenAPI description.

They are written out as they are: what this program made itself is not validated again.
"""

from collections.abc import Iterable
from typing import Annotated, Any

from flask import Response
from msgspec import Meta, Struct
from msgspec.json import Encoder, schema_components

from service.answers import BookSummary
from service.notated import BestMove, NotatedAnswer

JSON = "application/json"

_encoder = Encoder()
encode = _encoder.encode


def respond(document: object) -> Response:
    """The response that has `document` as JSON."""
    return Response(encode(document), mimetype=JSON)


class Problem(Struct, frozen=True):
    """What went wrong (RFC 9457)."""

    type: Annotated[str, Meta(description="Which kind of problem, as a URI.")]
    title: Annotated[str, Meta(description="The kind in a few words.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Annotated[
        str, Meta(description="One sentence: what is wrong here, and what would be right.")
    ]
    instance: Annotated[str, Meta(description="The address that was asked.")]


class Batch(Struct, frozen=True):
    """An answer for each position asked, in the same order.

    Null where none was looked for; with `errors` `each` a problem where the position is none.
    """

    game: str
    # One struct at a time is all that can be read back; these are only written.
    answers: list[Any]
    elapsed_us: int


class Books(Struct, frozen=True):
    """The books that are served."""

    books: tuple[BookSummary, ...]


class Health(Struct, frozen=True):
    """Sent while the service can answer."""

    status: str
    version: str


_REFERENCE = "#/components/schemas/{name}"
DOCUMENTS = (NotatedAnswer, BestMove, Problem, Batch, Books, Health)


def schemas(more: Iterable[type[Any]]) -> dict[str, Any]:
    """The JSON schemas, by name, of these documents and `more`, for the description."""
    _, components = schema_components([*DOCUMENTS, *more], ref_template=_REFERENCE)
    answers = [{"$ref": _REFERENCE.format(name=kind.__name__)} for kind in (NotatedAnswer, Problem)]
    components["Batch"]["properties"]["answers"]["items"] = {"anyOf": [*answers, {"type": "null"}]}
    return components


def reference(document: type[Any]) -> dict[str, str]:
    """The schema of `document`, as the description names it."""
    return {"$ref": _REFERENCE.format(name=document.__name__)}
