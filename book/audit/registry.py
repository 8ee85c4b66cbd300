"""The rules of each game, found by its id, and what searches the ends of its lines.

A rule file is a module of this package that defines ``find_rules``: given a game id it returns the
rules, or None where the id is of no game of its own. Adding such a file adds its games. Where a
game knows a faster search than trying everything, its rules name the module in ``searched_by``,
whose ``end_search`` takes the rules and the nodes.
"""

import importlib
import pkgutil
from functools import cache

import book.audit
from book.audit.end_search import EndSearch, EveryMove
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


def end_search(rules: AuditRules, nodes: int | None) -> EndSearch:
    """What searches the ends of lines, with at most `nodes` a question, or as many as are usual."""
    if rules.searched_by is None:
        return EveryMove(rules, nodes)
    search: EndSearch = importlib.import_module(rules.searched_by).end_search(rules, nodes)
    return search


@cache
def _find(game_id: str) -> AuditRules | None:
    package = book.audit
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        find_rules = getattr(importlib.import_module(module.name), "find_rules", None)
        rules: AuditRules | None = find_rules and find_rules(game_id)
        if rules is not None:
            return rules
    return None
