/** Games of Gomoku as SGF (FF[4], GM[4]): the main line, written and read. */

import { cellName, cellNamed, gameOf, replay } from "./rules.js";

/**
 * @typedef {object} GameRecord
 * @property {string} game its id
 * @property {string[]} moves
 * @property {string} [dark] the player's name
 * @property {string} [light]
 * @property {string} [result] as SGF has it, such as B+ or W+Resign
 */

/** What is wrong with a file: `message` is the key of a text, `values` fill it. */
export class InvalidRecord extends Error {
  constructor(key, values = {}) {
    super(key);
    this.values = values;
  }
}

/** @param {GameRecord} record */
export function writeSgf(record) {
  const game = gameOf(record.game);
  const root = {
    FF: "4", GM: "4", CA: "UTF-8", AP: "fivebook", SZ: game.width, RU: record.game,
    PB: record.dark, PW: record.light, RE: record.result,
  };
  const properties = Object.entries(root)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}[${String(value).replace(/[\]\\]/g, "\\$&")}]`);
  const moves = record.moves.map((move, ply) => `;${"BW"[ply % 2]}[${pointOf(game, move)}]`);
  return `(;${properties.join("")}\n${moves.join("")})\n`;
}

/**
 * @param {string} text of which the first game's main line is read
 * @returns {GameRecord}
 * @throws {InvalidRecord}
 */
export function readSgf(text) {
  const nodes = mainLine(text);
  const root = nodes[0] ?? {};
  const game = gameNamed(root);
  const moves = [];
  for (const node of nodes) {
    if ("AB" in node || "AW" in node || "AE" in node) throw new InvalidRecord("sgf.setup");
    for (const colour of ["B", "W"].filter((name) => name in node)) {
      if (colour !== "BW"[moves.length % 2]) {
        throw new InvalidRecord("sgf.order", { number: moves.length + 1 });
      }
      moves.push(moveAt(game, node[colour]));
    }
  }
  const played = replay(game, moves).length - 1;
  if (played < moves.length) {
    throw new InvalidRecord("sgf.illegal", { number: played + 1, move: moves[played] });
  }
  return { game: game.id, moves, dark: root.PB, light: root.PW, result: root.RE };
}

function gameNamed(root) {
  if ((root.GM ?? "").trim() !== "4") throw new InvalidRecord("sgf.kind");
  const size = (root.SZ ?? "").trim();
  const named = gameOf(root.RU ?? "");
  const game = named?.family === "gomoku" ? named : gameOf(`gomoku-${size}`);
  if (!game || String(game.width) !== size) throw new InvalidRecord("sgf.size", { size });
  return game;
}

/** The nodes of the first game's main line, each an object of its properties' first values. */
function mainLine(text) {
  const nodes = [];
  const tokens = text.matchAll(/[(;)]|([A-Z]+)\s*((?:\[(?:\\[^]|[^\]\\])*\]\s*)+)/g);
  let depth = 0;
  for (const [token, name, values] of tokens) {
    if (token === "(") depth++;
    else if (token === ")") break;
    else if (token === ";") nodes.push({});
    else if (nodes.length) nodes.at(-1)[name] = firstValue(values);
  }
  if (!depth || !nodes.length) throw new InvalidRecord("sgf.none");
  return nodes;
}

function firstValue(values) {
  const value = /^\[((?:\\[^]|[^\]\\])*)\]/.exec(values)[1];
  return value.replace(/\\([^])/g, "$1").trim();
}

/** SGF's name of a point: its column, then its row from the top, both from a. */
function pointOf(game, move) {
  const cell = cellNamed(game, move);
  const [row, column] = [Math.floor(cell / game.width), cell % game.width];
  return String.fromCharCode(97 + column, 97 + game.height - 1 - row);
}

function moveAt(game, point) {
  const [column, row] = [...point].map((letter) => letter.charCodeAt(0) - 97);
  const inside = (number) => number >= 0 && number < game.width;
  if (point.length !== 2 || !inside(column) || !inside(row)) {
    throw new InvalidRecord("sgf.point", { point });
  }
  return cellName(game, (game.height - 1 - row) * game.width + column);
}
