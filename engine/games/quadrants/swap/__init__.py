"""Pentago-swap solved exactly: supernodes, claims about them, and the prover."""
