-- The schema of a new book: what the migrations make of nothing, text for text.
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE games (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, digest INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	started VARCHAR NOT NULL, 
	ended VARCHAR, 
	version VARCHAR NOT NULL, 
	evaluation VARCHAR NOT NULL, 
	parameters VARCHAR NOT NULL, 
	positions INTEGER NOT NULL, 
	searches INTEGER NOT NULL, 
	nodes BIGINT NOT NULL, digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE positions (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	lookup INTEGER NOT NULL, 
	stones BLOB NOT NULL, 
	ply INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	bound INTEGER NOT NULL, 
	proven BOOLEAN NOT NULL, 
	rest_state INTEGER NOT NULL, 
	rest_value INTEGER, 
	rest_bound INTEGER, 
	rest_proven BOOLEAN, 
	rest_line BLOB, 
	open_cost INTEGER, 
	depth INTEGER NOT NULL, 
	nodes BIGINT NOT NULL, 
	milliseconds INTEGER NOT NULL, 
	run INTEGER NOT NULL, wish INTEGER, digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
CREATE INDEX positions_by_lookup ON positions (lookup);
CREATE INDEX positions_pending ON positions (game, ply) WHERE rest_state = 2;
CREATE TABLE moves (
	parent INTEGER NOT NULL, 
	child INTEGER NOT NULL, 
	move INTEGER NOT NULL, 
	PRIMARY KEY (parent, child)
)
 WITHOUT ROWID

;
CREATE INDEX moves_by_child ON moves (child);
CREATE TABLE counts (
	game INTEGER NOT NULL, 
	ply INTEGER NOT NULL, 
	depth INTEGER NOT NULL, 
	positions INTEGER NOT NULL, 
	proven INTEGER NOT NULL, 
	nodes BIGINT NOT NULL, 
	PRIMARY KEY (game, ply, depth), 
	FOREIGN KEY(game) REFERENCES games (id)
)
 WITHOUT ROWID

;
CREATE TABLE cells (
	game INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	code BLOB NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (game, number), 
	FOREIGN KEY(game) REFERENCES games (id)
)
 WITHOUT ROWID

;
CREATE INDEX cells_by_code ON cells (game, code);
CREATE TABLE move_names (
	game INTEGER NOT NULL, 
	move INTEGER NOT NULL, 
	code BLOB NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (game, move), 
	FOREIGN KEY(game) REFERENCES games (id)
)
 WITHOUT ROWID

;
CREATE INDEX move_names_by_code ON move_names (game, code);
CREATE TABLE tasks (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	batch INTEGER NOT NULL, 
	"key" BLOB NOT NULL, 
	stones BLOB NOT NULL, 
	new BOOLEAN NOT NULL, 
	excluded BLOB NOT NULL, 
	limits VARCHAR NOT NULL, 
	result VARCHAR, leased_by VARCHAR, leased_until DATETIME, digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id)
);
CREATE VIEW boards AS
SELECT p.id, g.name AS game, p.ply, 
    (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            p.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = p.game AND counter.number < (p.ply + 1) / 2 ORDER BY counter.number) AS names)
 AS dark, 
    (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            p.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = p.game AND counter.number BETWEEN (p.ply + 1) / 2 AND p.ply - 1 ORDER BY counter.number) AS names)
 AS light
FROM positions AS p JOIN games AS g ON g.id = p.game;
CREATE VIEW lines AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line, b.id
FROM known_moves AS k JOIN boards AS b ON b.id = k.id;
CREATE VIEW best_moves AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line, b.id
FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY value DESC, move) AS rank
      FROM known_moves) AS k
JOIN boards AS b ON b.id = k.id
WHERE k.rank = 1;
CREATE TABLE history (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	run INTEGER NOT NULL, 
	positions INTEGER NOT NULL, 
	value INTEGER NOT NULL, 
	proven BOOLEAN NOT NULL, digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
CREATE VIEW known_moves AS
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
    (SELECT group_concat(name, ' ') FROM (
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
    AND n.code = substr(p.rest_line, 1, length(first.code));
CREATE TABLE digests (
	game INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	total BIGINT NOT NULL, 
	PRIMARY KEY (game, name), 
	FOREIGN KEY(game) REFERENCES games (id)
)
 WITHOUT ROWID

;
CREATE TABLE sources (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	form VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE imported (
	id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	source INTEGER NOT NULL, 
	lookup INTEGER NOT NULL, 
	stones BLOB NOT NULL, 
	ply INTEGER NOT NULL, 
	games INTEGER NOT NULL, 
	dark_wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	light_wins INTEGER NOT NULL, 
	value INTEGER, 
	bound INTEGER, 
	depth INTEGER NOT NULL, 
	label VARCHAR NOT NULL, 
	comment VARCHAR NOT NULL, 
	digest INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES games (id), 
	FOREIGN KEY(source) REFERENCES sources (id)
);
CREATE INDEX imported_by_lookup ON imported (lookup);
CREATE VIEW played AS
SELECT g.name AS game, i.ply, (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            i.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = i.game AND counter.number < (i.ply + 1) / 2
        ORDER BY counter.number) AS names) AS dark, (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            i.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = i.game AND counter.number BETWEEN (i.ply + 1) / 2 AND i.ply - 1
        ORDER BY counter.number) AS names) AS light,
    i.games, i.dark_wins, i.draws, i.light_wins
FROM (
    SELECT game, lookup, stones, ply, sum(games) AS games, sum(dark_wins) AS dark_wins,
        sum(draws) AS draws, sum(light_wins) AS light_wins
    FROM imported WHERE games > 0 GROUP BY game, lookup, stones, ply) AS i
JOIN games AS g ON g.id = i.game;
CREATE VIEW hints AS
SELECT g.name AS game, i.ply, (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            i.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = i.game AND counter.number < (i.ply + 1) / 2
        ORDER BY counter.number) AS names) AS dark, (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            i.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = i.game AND counter.number BETWEEN (i.ply + 1) / 2 AND i.ply - 1
        ORDER BY counter.number) AS names) AS light,
    i.value, i.depth, i.label, i.comment, s.name AS source
FROM imported AS i JOIN games AS g ON g.id = i.game JOIN sources AS s ON s.id = i.source
WHERE i.value IS NOT NULL OR i.label <> '' OR i.comment <> '';
