"""What dark and light scored from positions of each value, in matches that were saved."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.values import winning_probability
from tools.chances import main

SETTINGS = {"game": "gomoku-9", "players": ["engine", "engine"]}
# What dark and light made of each position, and how the game ended.
GAMES = [
    ([150, -150, 450, None, 100, -29_990], "dark wins"),
    ([100, -99, 199, -100, 29_990, 0], "light wins"),
    ([None, 0, -401, 400, 0, 0], "draw"),
]


def told_of(folder: Path) -> Result:
    return CliRunner().invoke(main, [str(folder)])


def save(folder: Path) -> None:
    folder.mkdir()
    (folder / "match.json").write_text(json.dumps(SETTINGS))
    with (folder / "games.jsonl").open("w") as file:
        # Each of them twice.
        for number, (values, outcome) in enumerate(2 * GAMES):
            moves = f"e5 e6 d4 d5 c3 c{4 + number % len(GAMES)}"
            game = {"number": number, "moves": moves, "outcome": outcome}
            rest = {"efforts": [{}, {}], "forfeit": None, "ending": "", "values": values}
            print(json.dumps(game | rest), file=file)


def says(*values: int) -> str:
    return f"{sum(map(winning_probability, values)) / len(values):.2f}"


def test_undecided_values_are_told_with_what_came_of_them(tmp_path: Path) -> None:
    save(tmp_path / "match")
    result = told_of(tmp_path / "match")
    assert result.exit_code == 0
    head, rows = result.stdout.split("| --- | --- | --- | --- | --- |\n")
    assert head.startswith(f"{tmp_path / 'match'}: 3 different games\n")
    # From +100 on two positions of a game were won, two of another lost: twice 2 · ½ of 4.
    assert rows.splitlines() == [
        f"| dark | below -400 | 1 | 0.50 ± 0.00 | {says(-401)} |",
        f"| dark | from +0 | 1 | 0.50 ± 0.00 | {says(0)} |",
        f"| dark | from +100 | 4 | 0.50 ± 0.35 | {says(150, 100, 100, 199)} |",
        f"| dark | from +400 | 1 | 1.00 ± 0.00 | {says(450)} |",
        f"| light | from -200 | 1 | 0.00 ± 0.00 | {says(-150)} |",
        f"| light | from -100 | 2 | 1.00 ± 0.00 | {says(-99, -100)} |",
        f"| light | from +0 | 3 | 0.67 ± 0.16 | {says(0, 0, 0)} |",
        f"| light | from +400 | 1 | 0.50 ± 0.00 | {says(400)} |",
    ]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (None, "there is no match in '{folder}'"),
        ("[]", "'{folder}/match.json' holds no settings of a match"),
        ("{}", "'{folder}/match.json' holds no settings of a match"),
        ('{"game": "chess"}', "unknown game 'chess'"),
        (json.dumps(SETTINGS), "{folder}/games.jsonl, line 1: this is no game of the match"),
    ],
)
def test_a_folder_without_a_match_is_refused(
    tmp_path: Path, settings: str | None, reason: str
) -> None:
    if settings is not None:
        (tmp_path / "match.json").write_text(settings)
        (tmp_path / "games.jsonl").write_text("{}\n")
    result = told_of(tmp_path)
    assert result.exit_code == 2
    assert reason.format(folder=tmp_path) in result.stderr
