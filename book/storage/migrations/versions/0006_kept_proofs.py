"""The view of known moves knows of kept slots, which prove that other moves are worth no more."""

from alembic import op

revision = "0006"
down_revision = "0005"

# A kept slot (4) has its move even where the position behind it is stored, and no other move is
# worth more, but for a win that is proven since: `book.rows.propagation.can_be_worth` in SQL.
_KNOWN_MOVES = """
VIEW known_moves AS
SELECT w.id, w.move, w.name, w.proven, 'book' AS source, w.name AS line, w.value
FROM (
    SELECT m.parent AS id, m.move, n.name, c.proven,
        CASE WHEN c.value > 29000 THEN 1 - c.value
             WHEN c.value < -29000 THEN -1 - c.value ELSE -c.value END AS value
    FROM moves AS m
    JOIN positions AS c ON c.id = m.child
    JOIN move_names AS n ON n.game = c.game AND n.move = m.move) AS w
JOIN positions AS p ON p.id = w.id
LEFT JOIN move_names AS first ON p.rest_state = 4 AND first.game = p.game AND first.move = 0
LEFT JOIN move_names AS n ON p.rest_state = 4 AND n.game = p.game
    AND n.code = substr(p.rest_line, 1, length(first.code))
WHERE p.rest_state <> 4
    OR (w.value > p.rest_value AND w.proven AND w.value > 0)
    OR (w.value <= p.rest_value AND w.move <> n.move)
UNION ALL
SELECT p.id, n.move, n.name, p.rest_proven, 'rest',
    (SELECT {joined}(name, ' ') FROM (
        SELECT named.name FROM move_names AS counter
        JOIN move_names AS named ON named.game = counter.game AND named.code = substr(
            p.rest_line, counter.move * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = p.game
            AND counter.move < length(p.rest_line) / length(counter.code)
        ORDER BY counter.move) AS names),
    p.rest_value
FROM positions AS p
JOIN move_names AS first ON first.game = p.game AND first.move = 0
JOIN move_names AS n ON n.game = p.game
    AND n.code = substr(p.rest_line, 1, length(first.code))
"""


def upgrade() -> None:
    """Make the view anew; others stand on it."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP VIEW known_moves")
        op.execute("CREATE" + _KNOWN_MOVES.format(joined="group_concat"))
    else:
        op.execute("CREATE OR REPLACE" + _KNOWN_MOVES.format(joined="string_agg"))
