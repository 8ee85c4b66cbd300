/**
 * What the pages of a site ask: the book that lies in pieces beside them, and no service. It stands
 * where the module of this name stands that asks a service, with the same answers.
 *
 * book/whole/pieces.py writes the pieces and says what is in them.
 */

import {
  DARK, formatMove, gameOf, LIGHT, mapCell, mapMove, outcome, parseMove, play, replay, toMove,
} from "./rules.js";

const SEEDS = [0x2545f491, 0x6c8e9cf5];
const FACTOR = 0x9e3779b1;
const PER_FOLDER = 1000;
const [PROVEN, IN_BOOK] = [4, 8];
const BOUNDS = ["exact", "lower", "upper"];
const [WIN, MOST_ESTIMATE, SCALE, LINE_PLIES] = [30_000, 29_000, 400, 8];
const INVERSE = [0, 3, 2, 1, 4, 5, 6, 7];

const folder = new URL("../", import.meta.url);

/** What went wrong, in a sentence. */
export class Problem extends Error {
  constructor({ status, detail, retryAfter = 0 }) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function ask(path) {
  const response = await fetch(new URL(path, folder)).catch(() => null);
  if (!response?.ok) throw new Problem({ status: response?.status ?? 0, detail: "" });
  return response;
}

const site = await (await ask("site.json")).json();
const game = gameOf(site.game);
// By their names the files that were asked for, and by stones the rows of the pieces among them.
const asked = new Map();
const rows = new Map();

/** @returns {Promise<any>} what `read` makes of a file, which is asked for once */
function file(path, read) {
  if (!asked.has(path)) {
    const answer = ask(path).then(read);
    // What failed may do better the next time.
    answer.catch(() => asked.delete(path));
    asked.set(path, answer);
  }
  return asked.get(path);
}

async function piece(number) {
  const path = `pieces/${Math.floor(number / PER_FOLDER)}/${number % PER_FOLDER}.json`;
  const found = await file(path, (response) => response.json());
  for (const [stones, row] of Object.entries(found)) rows.set(stones, row);
}

/** The pieces that a position may be in: one, hardly ever two. */
async function piecesOf(packed) {
  const number = site.index_bits ? hash(packed, SEEDS[0]) >>> (32 - site.index_bits) : 0;
  const read = async (response) => new Uint32Array(await response.arrayBuffer());
  const entries = await file(`index/${number}.bin`, read);
  const wanted = hash(packed, SEEDS[1]);
  const found = new Set();
  for (let at = 0; at < entries.length; at += 2) if (entries[at] === wanted) found.add(entries[at + 1]);
  return found;
}

function hash(bytes, seed) {
  let number = seed;
  for (const byte of bytes) {
    number = Math.imul(number ^ byte, FACTOR) >>> 0;
    number ^= number >>> 15;
  }
  return number >>> 0;
}

/** The smallest image of a position: its packed stones, and the symmetry back from it. */
function canonical(position) {
  const cells = (side) => [...position.stones.keys()].filter((cell) => position.stones[cell] === side);
  const [dark, light] = [cells(DARK), cells(LIGHT)];
  let least = null;
  for (const symmetry of game.symmetries) {
    const turned = (all) => all.map((cell) => mapCell(game, cell, symmetry)).sort((a, b) => a - b);
    const stones = [...turned(dark), ...turned(light)];
    if (!least || isLess(stones, least.stones)) least = { stones, back: INVERSE[symmetry] };
  }
  const wide = game.width * game.height > 256;
  const packed = wide ? least.stones.flatMap((cell) => [cell >> 8, cell & 255]) : least.stones;
  const key = packed.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { packed, key, back: least.back };
}

function isLess(one, other) {
  const at = one.findIndex((cell, place) => cell !== other[place]);
  return at >= 0 && one[at] < other[at];
}

/** The row of a position; undefined if the book does not hold it. */
async function rowOf({ packed, key }) {
  if (rows.has(key)) return rows.get(key);
  for (const number of await piecesOf(packed)) {
    await piece(number);
    if (rows.has(key)) break;
  }
  return rows.get(key);
}

const distanceOf = (value, proven) =>
  (proven && Math.abs(value) > MOST_ESTIMATE ? WIN - Math.abs(value) : null);

function chance(value, proven) {
  if (proven && Math.abs(value) <= MOST_ESTIMATE) return 0.5;
  return Math.round(10_000 / (1 + Math.exp(-value / SCALE))) / 10_000;
}

function valued(value, marks) {
  const proven = Boolean(marks & PROVEN);
  return {
    value, proven, bound: BOUNDS[marks & 3], win_rate: chance(value, proven),
    distance: distanceOf(value, proven),
  };
}

/** By how much a chance may well be wrong; null where nobody has measured it. */
function uncertainty(depth, marks) {
  if (marks & PROVEN) return 0;
  return site.moved.length ? site.moved[Math.min(depth, site.moved.length - 1)] : null;
}

function answer(position, moves, row, turn) {
  const [value, marks, depth, nodes, known, rest, forbidden] = row;
  const words = (text) => text.split(" ").filter(Boolean).map(turn);
  const all = known.map(([name, itsValue, itsMarks, itsDepth]) => ({
    move: turn(name), ...valued(itsValue, itsMarks), depth: itsDepth, method: null,
    uncertainty: uncertainty(itsDepth, itsMarks),
    source: itsMarks & IN_BOOK ? "book" : "rest",
    line: itsMarks & IN_BOOK ? [turn(name)] : words(rest),
  }));
  return {
    ...about(position, moves), source: marks & PROVEN ? "proof" : "book", ...valued(value, marks),
    forbidden: words(forbidden), depth, nodes, moves: all, uncertainty: all[0].uncertainty,
    best: all[0].move, line: all[0].line,
  };
}

function about(position, moves) {
  return {
    game: game.id, position: moves.join(" "), ply: position.ply, method: null, outcome: null,
    to_move: toMove(position) === DARK ? "dark" : "light", milliseconds: 0, elapsed_us: 0,
  };
}

function finished(position, moves, result) {
  const won = result === `${toMove(position) === DARK ? "dark" : "light"} wins`;
  const value = result === "draw" ? 0 : won ? WIN : -WIN;
  return {
    ...about(position, moves), outcome: result, source: "proof", ...valued(value, PROVEN),
    uncertainty: 0, forbidden: [], depth: 0, nodes: 0, moves: [], best: null, line: [],
  };
}

/** What the book says of a position; null if it does not hold it. */
async function look(position, moves) {
  const result = outcome(game, position);
  if (result) return finished(position, moves, result);
  const image = canonical(position);
  const row = await rowOf(image);
  return row ? answer(position, moves, row, turner(image.back)) : null;
}

const turner = (symmetry) => (name) => formatMove(game, mapMove(game, parseMove(game, name), symmetry));

/** The line from a position on, along best moves, as far as the pieces at hand go. */
function followed(position, found) {
  const line = [];
  let [at, next] = [position, found];
  while (next?.moves[0].source === "book" && line.length < LINE_PLIES) {
    line.push(next.best);
    at = play(game, at, parseMove(game, next.best));
    const { key, back } = canonical(at);
    next = rows.has(key) ? answer(at, [], rows.get(key), turner(back)) : null;
  }
  return [...line, ...(next?.line ?? [])].slice(0, LINE_PLIES);
}

/** All that the book knows of the position after `moves`. */
export async function position({ game: id, moves }) {
  if (id !== site.game) {
    throw new Problem({ status: 404, detail: `This book is of ${site.game}, not of ${id}.` });
  }
  const positions = replay(game, moves);
  if (positions.length <= moves.length) {
    const move = moves[positions.length - 1];
    throw new Problem({ status: 422, detail: `'${move}' cannot be played there.` });
  }
  const found = await look(positions.at(-1), moves);
  if (!found) throw new Problem({ status: 404, detail: "The book does not hold this position." });
  if (found.moves.length) {
    found.line = followed(positions.at(-1), found);
    found.moves[0].line = found.line;
  }
  return found;
}

/** Answers to many positions, each given by its moves; null where the book holds none. */
export const positions = (id, lines) =>
  Promise.all(lines.map((moves) => position({ game: id, moves }).catch(() => null)));

export const books = async () => [{
  file: "", games: [{ game: site.game, title: site.title, positions: site.positions }],
}];

/** As `position`: nothing is searched here. */
export async function* live(question) {
  yield await position(question);
}
