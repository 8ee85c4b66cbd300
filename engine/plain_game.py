"""A game that is searched and proven plainly, until it has faster ways of its own."""

from engine.game import Game
from engine.plain_prover import PlainProver
from engine.plain_search import PlainSearcher
from engine.proof import TABLE_MEBIBYTES, Prover
from engine.search import Searcher, SearchOptions


class PlainGame(Game):
    """A game with the plain searcher and the plain prover, each of which it may replace."""

    def searcher(self, options: SearchOptions = SearchOptions()) -> Searcher:
        return PlainSearcher(self, options)

    def prover(self, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> Prover:
        return PlainProver(self, table=table)
