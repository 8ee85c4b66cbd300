"""The games that weights are fitted to in tests."""

from engine import registry
from tools.selfplay import GAMES_IN_FILE, SelfPlay

GAME = registry.get("gomoku-7")
PLAN = SelfPlay(GAME.id, nodes=60, seed=1)
COUNT = 2 * GAMES_IN_FILE
