"""The rules of each game, found by its id.

A rule file is a module of this package that defines ``find_rules``: given a game id it returns the
rules, or None where the id is of no game of its own. Adding such a file adds its games.
"""

import importlib
import pkgutil
from functools import cache

import book.audit
from book.audit.rules import AuditRules


def rules_of(game_id: str) -> AuditRules:
    """The rules of a game.

    Raises:
        LookupError: if no rule file has it.
    """
    rules = _find(game_id)
    if rules is None:
        raise LookupError(f"the audit has no rules of '{game_id}'")
    return rules


def knows(game_id: str) -> bool:
    """Whether there are rules for this game."""
    return _find(game_id) is not None


@cache
def _find(game_id: str) -> AuditRules | None:
    package = book.audit
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        find_rules = getattr(importlib.import_module(module.name), "find_rules", None)
        rules: AuditRules | None = find_rules and find_rules(game_id)
        if rules is not None:
            return rules
    return None
