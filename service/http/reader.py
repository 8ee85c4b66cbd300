"""``/docs``: the OpenAPI description as a page to read, made here and from nowhere else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from apiflask import APIFlask
from flask import render_template

_NONE: dict[str, Any] = {"content": {}}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the description, as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[dict[str, Any]]
    body: dict[str, Any]
    responses: dict[str, Any]

    @property
    def example(self) -> str:
        """An answer, as text."""
        content: dict[str, Any] = self.responses["200"]["content"]
        for kind, told in content.items():
            example = told.get("example", "")
            return json.dumps(example, indent=2) if kind.endswith("json") else str(example)
        return ""


def register(app: APIFlask) -> None:
    """Add the page to `app`."""

    @app.get("/docs")
    @app.doc(hide=True)
    def docs() -> str:
        spec: Any = app.spec
        return render_template(
            "docs.html",
            spec=spec,
            operations=list(operations(spec)),
            schemas=spec.get("components", {}).get("schemas", {}),
            type_of=type_of,
        )


def operations(spec: dict[str, Any]) -> Iterator[Operation]:
    """The operations of a description, in its order."""
    for path, methods in spec["paths"].items():
        for method, told in methods.items():
            bodies: list[dict[str, Any]] = list(told.get("requestBody", _NONE)["content"].values())
            yield Operation(
                id=told["operationId"],
                method=method.upper(),
                path=path,
                summary=told.get("summary", ""),
                description=told.get("description", ""),
                parameters=told.get("parameters", []),
                body=bodies[0]["schema"] if bodies else {},
                responses=told["responses"],
            )


def type_of(schema: dict[str, Any]) -> str:
    """The type that a schema describes, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(map(type_of, schema[choice]))
    if "enum" in schema:
        return " or ".join(map(json.dumps, schema["enum"]))
    if schema.get("items"):
        return f"list of {type_of(schema['items'])}"
    found = schema.get("type", "anything")
    return " or ".join(found) if isinstance(found, list) else str(found)
