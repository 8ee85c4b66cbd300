"""Certificates of a win in Gomoku, and a checker that takes nothing of the engine on trust.

The checker is to be believed by those who do not believe the engine. It therefore shares no code
with it: this folder imports nothing but the standard library, numpy and numba, and has its own
boards, its own notation and its own kernels. docs/proofs.md describes the file, what
is checked and why that is enough.
"""
