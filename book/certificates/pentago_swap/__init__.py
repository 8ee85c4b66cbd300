"""Certificates of won games, and a checker that takes nothing of the engine on trust.

The checker is to be believed by those who do not believe the engine. It therefore shares no code
with it: this folder imports nothing but the standard library, numpy and numba, and has its own
boards, its own notation and its own kernels, which numba keeps beside them. docs/proofs.md
describes the file and the argument.
"""
