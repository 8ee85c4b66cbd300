/**
 * The rules of the games as far as a board needs them: whose turn it is, where stones come to lie,
 * which rows win. What is forbidden and what a position is worth, the service tells.
 *
 * A cell is a number, row * width + column, both from zero, the row from the bottom.
 * A symmetry is a number from 0 to 7: from 4 on left and right change places, then the board is
 * given as many quarter turns as it leaves when divided by 4.
 */

export const DARK = 1, LIGHT = 2;
export const [SMALLEST, LARGEST] = [5, 26];
export const [NARROWEST, WIDEST] = [4, 26];

/**
 * @typedef {object} Game
 * @property {string} id
 * @property {"grid" | "quadrants" | "columns"} kind
 * @property {string} family
 * @property {number} width
 * @property {number} height
 * @property {string} rule of Gomoku: "", "standard" or "renju"
 * @property {number} run stones in a row that win
 * @property {boolean[]} exact by side: whether more than that do not win
 * @property {string[]} turns what can be done to the quadrants after a stone
 * @property {number[]} symmetries
 */

/**
 * @typedef {object} Position
 * @property {Uint8Array} stones by cell: 0, DARK or LIGHT
 * @property {Uint16Array} plies by cell: the number of the move that put the stone there
 * @property {number} ply
 * @property {number | null} last where the last stone lies
 */

/** @typedef {{cell: number, turn: string}} Move */

const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const QUADRANT_TURNS = {
  "pentago-swap": ["12", "13", "14", "23", "24", "34"],
  "pentago": [1, 2, 3, 4].flatMap((quadrant) => [`${quadrant}R`, `${quadrant}L`]),
  "pentago-twist": [1, 2, 3, 4].flatMap((quadrant) => [`${quadrant}R`, `${quadrant}F`]),
};

/** @returns {Game | null} the game called `id`, null if the page knows none */
export function gameOf(id) {
  const base = { id, rule: "", run: 5, exact: [false, false, false], turns: [], symmetries: ALL };
  const gomoku = /^gomoku-(\d+)(?:-(standard|renju))?$/.exec(id);
  if (gomoku && within(gomoku[1], SMALLEST, LARGEST)) {
    const [size, rule] = [Number(gomoku[1]), gomoku[2] ?? ""];
    const exact = [false, rule !== "", rule === "standard"];
    return { ...base, kind: "grid", family: "gomoku", width: size, height: size, rule, exact };
  }
  if (Object.hasOwn(QUADRANT_TURNS, id)) {
    const symmetries = id === "pentago-twist" ? [0, 2] : ALL;
    const turns = QUADRANT_TURNS[id];
    return { ...base, kind: "quadrants", family: id, width: 6, height: 6, turns, symmetries };
  }
  const columns = /^connect-four-(\d+)x(\d+)$/.exec(id);
  if (columns && columns.slice(1).every((text) => within(text, NARROWEST, WIDEST))) {
    const [width, height] = columns.slice(1).map(Number);
    const family = "connect-four";
    return { ...base, kind: "columns", family, width, height, run: 4, symmetries: [0, 4] };
  }
  return null;
}

function within(text, least, most) {
  return !text.startsWith("0") && least <= Number(text) && Number(text) <= most;
}

/** @returns {Position} */
export function initial(game) {
  const cells = game.width * game.height;
  return { stones: new Uint8Array(cells), plies: new Uint16Array(cells), ply: 0, last: null };
}

/** Whose stone is next. */
export const toMove = (position) => (position.ply % 2 ? LIGHT : DARK);

export const other = (side) => DARK + LIGHT - side;

/** Column letter and row number. */
export function cellName(game, cell) {
  return columnName(cell % game.width) + (Math.floor(cell / game.width) + 1);
}

export const columnName = (column) => String.fromCharCode(97 + column);

/** @returns {number} the cell that `text` names, -1 if it is none */
export function cellNamed(game, text) {
  const match = /^([a-z])([1-9]\d?)$/i.exec(text);
  if (!match) return -1;
  const [column, row] = [match[1].toLowerCase().charCodeAt(0) - 97, Number(match[2]) - 1];
  return column < game.width && row < game.height ? row * game.width + column : -1;
}

/** @returns {Move | null} */
export function parseMove(game, text) {
  const [name, turn = ""] = text.split(":");
  const cell = cellNamed(game, name);
  const known = game.kind === "quadrants" ? tidyTurn(game, turn) : turn;
  if (cell < 0 || (game.kind === "quadrants" ? !known : known)) return null;
  return { cell, turn: known };
}

function tidyTurn(game, text) {
  const turn = /^\d\d$/.test(text) ? [...text].sort().join("") : text.toUpperCase();
  return game.turns.includes(turn) ? turn : "";
}

export function formatMove(game, { cell, turn }) {
  return cellName(game, cell) + (turn && `:${turn}`);
}

/** The moves in `text`, as it stands in an address or was typed. */
export const splitMoves = (text) => text.split(/[\s,]+/).filter(Boolean);

/** Where a stone put on `cell` comes to lie: further down where stones fall. */
export function landing(game, position, cell) {
  if (game.kind !== "columns") return cell;
  for (let at = cell % game.width; at < position.stones.length; at += game.width) {
    if (!position.stones[at]) return at;
  }
  return cell;
}

/** The position after the stone of `move`, before any quadrant is turned. */
export function placed(position, cell) {
  const [stones, plies] = [position.stones.slice(), position.plies.slice()];
  stones[cell] = toMove(position);
  plies[cell] = position.ply + 1;
  return { stones, plies, ply: position.ply + 1, last: cell };
}

/** Whether the stone on `cell` ends the game before a quadrant is turned: so it is in Pentago. */
export function winsBeforeTurn(game, position, cell) {
  return game.id === "pentago" && winningCells(game, placed(position, cell)).length > 0;
}

/**
 * @param {Move} move
 * @returns {Position | null} the position after `move`, null if it cannot be played
 */
export function play(game, position, move) {
  if (position.stones[move.cell] || outcome(game, position)) return null;
  if (landing(game, position, move.cell) !== move.cell) return null;
  const before = placed(position, move.cell);
  if (!move.turn || winsBeforeTurn(game, position, move.cell)) return before;
  const goes = turnMap(move.turn);
  const after = { ...before, stones: new Uint8Array(36), plies: new Uint16Array(36) };
  goes.forEach((to, from) => {
    after.stones[to] = before.stones[from];
    after.plies[to] = before.plies[from];
  });
  after.last = goes[move.cell];
  return after;
}

/** @returns {Position[]} one a ply, from the empty board; fewer if a move cannot be played */
export function replay(game, moves) {
  const positions = [initial(game)];
  for (const text of moves) {
    const move = parseMove(game, text);
    const next = move && play(game, positions.at(-1), move);
    if (!next) break;
    positions.push(next);
  }
  return positions;
}

/** The quadrant of a cell, 1 to 4, row by row from the top left. */
export const quadrantOf = (cell) => (cell < 18 ? 3 : 1) + (cell % 6 < 3 ? 0 : 1);

/** The lower left cell of a quadrant. */
export const cornerOf = (quadrant) => [18, 21, 0, 3][quadrant - 1];

/** Where a turn takes each cell of the 36. */
function turnMap(turn) {
  const goes = Array.from({ length: 36 }, (_, cell) => cell);
  const within = (quadrant, row, column) => cornerOf(quadrant) + row * 6 + column;
  const [first, second] = [Number(turn[0]), turn[1]];
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) {
      const from = within(first, row, column);
      if (second === "R") goes[from] = within(first, 2 - column, row);
      else if (second === "L") goes[from] = within(first, column, 2 - row);
      else if (second === "F") goes[from] = within(first, row, 2 - column);
      else {
        const there = within(Number(second), row, column);
        [goes[from], goes[there]] = [there, from];
      }
    }
  }
  return goes;
}

/** The cells of every row that wins, of either side; none while the game goes on. */
export function winningCells(game, position) {
  const cells = new Set();
  position.stones.forEach((side, cell) => {
    if (side) for (const row of rowsFrom(game, position, cell, side)) row.forEach((c) => cells.add(c));
  });
  return [...cells];
}

/** The rows of `side` that begin at `cell` and win. */
function* rowsFrom(game, { stones }, cell, side) {
  const [x, y] = [cell % game.width, Math.floor(cell / game.width)];
  const at = (column, row) =>
    column >= 0 && column < game.width && row >= 0 && row < game.height
      ? stones[row * game.width + column] : 0;
  for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    if (at(x - right, y - up) === side) continue;
    let length = 1;
    while (at(x + length * right, y + length * up) === side) length++;
    if (length < game.run || (game.exact[side] && length > game.run)) continue;
    yield Array.from({ length }, (_, n) => (y + n * up) * game.width + x + n * right);
  }
}

/** @returns {"dark wins" | "light wins" | "draw" | null} by the stones alone */
export function outcome(game, position) {
  const winners = new Set(winningCells(game, position).map((cell) => position.stones[cell]));
  if (winners.size === 2) return "draw";
  if (winners.has(DARK)) return "dark wins";
  if (winners.has(LIGHT)) return "light wins";
  return position.stones.includes(0) ? null : "draw";
}

/** `cell` on the board turned by `symmetry`. */
export function mapCell(game, cell, symmetry) {
  let [row, column] = [Math.floor(cell / game.width), cell % game.width];
  if (symmetry >= 4) column = game.width - 1 - column;
  for (let n = symmetry % 4; n > 0; n--) [row, column] = [column, game.height - 1 - row];
  return row * game.width + column;
}

/** `move` on the board turned by one of the game's own symmetries. */
export function mapMove(game, { cell, turn }, symmetry) {
  const quadrant = (text) => quadrantOf(mapCell(game, cornerOf(Number(text)), symmetry));
  const mapped = mapCell(game, cell, symmetry);
  if (!turn) return { cell: mapped, turn };
  if (/\d\d/.test(turn)) {
    return { cell: mapped, turn: [...turn].map(quadrant).sort().join("") };
  }
  const mirrored = { R: "L", L: "R" };
  const letter = symmetry >= 4 ? mirrored[turn[1]] ?? turn[1] : turn[1];
  return { cell: mapped, turn: quadrant(turn[0]) + letter };
}

/** The symmetries that leave `position` as it is. */
export function symmetriesOf(game, position) {
  const cells = [...position.stones.keys()];
  return game.symmetries.filter((symmetry) => cells.every(
    (cell) => position.stones[cell] === position.stones[mapCell(game, cell, symmetry)],
  ));
}
