"""Build runs as the commands tell them."""

from typing import Any

from engine.search import SearchOptions


def describe_search(parameters: dict[str, Any]) -> str:
    """The limits of a run's searches, and their table where it is not the usual one."""
    given = {**parameters["limits"], "table": parameters.get("table")}
    if given["table"] == SearchOptions().table:
        del given["table"]
    return " ".join(f"{name}={value}" for name, value in given.items() if value)


def describe_growth(parameters: dict[str, Any]) -> str:
    """Where a run let the book grow, where that is not from the empty board by costs alone."""
    told = ("mode", "side", "root", "plies", "max_loss", "total_loss", "margin")
    given = {name: parameters.get(name) for name in told}
    if roots := parameters.get("roots"):
        given["roots"] = len(roots)
    return "".join(f", {name} {value}" for name, value in given.items() if value not in (None, ""))
