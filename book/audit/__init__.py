"""Checking what a book says is proven, by the rules alone.

Like `book.certificates.pentago_swap` this is for those who do not believe the engine: it has its
own rules, its own symmetries and its own plain searches, and imports nothing of the engine. Rows
come by SQL. docs/proofs.md describes the argument.
"""
