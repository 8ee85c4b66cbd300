"""Loading compiled code ahead of its first use."""

from collections.abc import Callable

from engine import registry
from engine.game import Game
from engine.players import AGENT_NAMES, agent
from engine.search import Limits


def load_searchers(report: Callable[[Game], None] = lambda game: None) -> None:
    """Compile the search of every family of games, or load it from the compiler's cache.

    `report` is called before each. Afterwards no search in this process waits for the compiler.
    """
    for family in registry.families():
        game = registry.get(family.examples[0])
        report(game)
        game.searcher().search(game.initial, Limits(nodes=1))


def load_provers(report: Callable[[str], None] = lambda what: None) -> None:
    """Compile the provers of the games that have one, or load them; `report` is told before."""
    for family in registry.families():
        game = registry.get(family.examples[0])
        report(f"the prover of {game.title}")
        game.prover(table=1)


def load_agents(report: Callable[[str], None] = lambda name: None) -> None:
    """Compile the published agents, or load them; `report` is called before each."""
    for name in AGENT_NAMES:
        report(name)
        agent(name)
