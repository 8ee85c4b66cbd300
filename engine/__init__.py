"""Rules, notation, symmetry, keys and search of five-in-a-row games.

This room knows no disk, database or network (the compiler's own cache of machine code
aside). The rooms above speak of games only through `engine.registry`.
"""

__version__ = "0.17.0"
