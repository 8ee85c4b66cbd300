"""Files of the field: games, trees of moves and databases of positions, read and written.

Each module with `FORMATS` adds its own, found by `book.files.formats`. Those of one family of games
are in a folder with its name. A reader turns a file into `Noted` positions and `Played` games
(`book.files.contents`), one after the other and within the limits of a `Request`. A writer turns
the nodes of a tree, or noted positions, into a file.
"""
