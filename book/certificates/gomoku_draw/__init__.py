"""Certificates of a draw in Gomoku, and a checker that takes nothing of the engine on trust.

One strategy shows it for both sides: that of the *breaker*, who moves second and keeps the other,
the *maker*, from ever filling five cells in a row. docs/proofs.md describes the file, what is
checked and why that is enough.
"""
