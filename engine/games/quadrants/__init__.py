"""The games on a board of four quadrants: Pentago-swap, Pentago and Pentago-Twist."""

from engine.games.quadrants import pentago, pentago_swap

FAMILIES = (*pentago.FAMILIES, *pentago_swap.FAMILIES)
