"""Places in the code that read alike."""

import ast
import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, takewhile

SHORTEST = 6

_Code = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Copy:
    """`lines` lines of code that read alike from these two places on, names and values aside."""

    first: str
    second: str
    lines: int


def copies(modules: Mapping[str, tuple[str, ast.Module]]) -> list[Copy]:
    """Every pair of places with at least SHORTEST lines alike, each as long as it goes.

    `modules` are source and syntax tree by path. Lines that are all of one shape, such as the
    names of a list, are no copy of anything.
    """
    code = {path: _code(source, tree) for path, (source, tree) in modules.items()}
    starts: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for path, lines in code.items():
        for at in range(len(lines) - SHORTEST + 1):
            window = tuple(shape for _, shape in lines[at : at + SHORTEST])
            if len(set(window)) > 1:
                starts[window].append((path, at))
    found = []
    for places in starts.values():
        for (path, at), (other, there) in combinations(places, 2):
            length = _common(code[path][at:], code[other][there:])
            begins_above = _common(code[path][:at][-1:], code[other][:there][-1:])
            if not begins_above and not (path == other and there < at + length):
                ends = f"{path}:{code[path][at][0]}", f"{other}:{code[other][there][0]}"
                found.append(Copy(*ends, length))
    return sorted(found, key=lambda copy: (-copy.lines, copy.first, copy.second))


def _code(source: str, tree: ast.Module) -> _Code:
    """Number and shape of each line of code: names, strings and numbers are left blank.

    What only declares or lists something is not code: imports, heads of classes, fields without
    a value, and lines that end in a comma, as arguments and rows of tables do. Nor are blank
    lines, comments, docstrings and lines of punctuation.
    """
    declared = {line for node in ast.walk(tree) for line in _declared(node)}
    shapes: dict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        if token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP):
            blank = {tokenize.NUMBER: "0", tokenize.STRING: "''"}.get(token.type, token.string)
            shapes[token.start[0]].append("N" if is_name else blank)
    return [
        (line, " ".join(shape))
        for line, shape in sorted(shapes.items())
        if line not in declared and shape[-1] != "," and any(map(str.isalnum, shape))
    ]


def _declared(node: ast.AST) -> Iterable[int]:
    match node:
        case ast.ClassDef():
            first = min(
                (decorator.lineno for decorator in node.decorator_list), default=node.lineno
            )
            return range(first, node.body[0].lineno)
        case ast.Import() | ast.ImportFrom() | ast.AnnAssign(value=None):
            return range(node.lineno, (node.end_lineno or 0) + 1)
    return ()


def _common(one: _Code, other: _Code) -> int:
    """How many lines are alike, from the first on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0][1] == pair[1][1], pairs))
