"""The value of Gomoku's network from nothing but a position's patterns, one whole number by one."""

from collections.abc import Sequence

from engine.games.gomoku.network import LAST_UNIT, NODE_MAX, WEIGHT_UNIT
from engine.games.gomoku.weights import Network

_TWO = 4
"""The first of the kinds that are a two or more."""


def network_value(patterns: Sequence[tuple[int, int]], colour: int, network: Network) -> int:
    """What the network adds for `colour` to move; `patterns` are those of dark and light on every
    empty cell.
    """
    # With one table for both, the last is the first.
    embeddings = network.embedding[-1].tolist(), network.embedding[0].tolist()
    first, bias = (each[[-1, 0][colour]].tolist() for each in (network.first, network.first_bias))
    features = [
        min(NODE_MAX, each)
        for side in (colour, 1 - colour)
        for each in _features(embeddings[side], [(p[side], p[1 - side]) for p in patterns])
    ]
    nodes = _layer(first, bias, features)
    nodes = _layer(network.second.tolist(), network.second_bias.tolist(), nodes)
    products = [weight * node for weight, node in zip(network.last.tolist(), nodes, strict=True)]
    return (network.last_bias + sum(products)) // LAST_UNIT


def _features(embedding: list[list[list[int]]], patterns: list[tuple[int, int]]) -> list[int]:
    """Those of one side, by its own pattern and the other side's on every cell."""
    features = [0] * len(embedding[0][0])
    for own, other in patterns:
        lines = [(own >> shift & 15, other >> shift & 15) for shift in (0, 4, 8, 12)]
        if max(max(line) for line in lines) < _TWO:
            continue
        rows = [embedding[mine][theirs] for mine, theirs in lines]
        for index, numbers in enumerate(zip(*rows, strict=True)):
            features[index] += max(0, sum(numbers))
    return features


def _layer(weights: list[list[int]], biases: list[int], inputs: list[int]) -> list[int]:
    totals = [
        bias + sum(weight * each for weight, each in zip(row, inputs, strict=True))
        for row, bias in zip(weights, biases, strict=True)
    ]
    return [max(0, min(NODE_MAX, total // WEIGHT_UNIT)) for total in totals]
