/**
 * Opening rules: one player puts three stones, and the other takes a colour. By swap2 the other may
 * put two more instead, and leave the choice to the first; by rif, for renju, the first three lie
 * on the centre, beside it, and at most two from it.
 */

import { positions } from "./api.js";
import { cellName, cellNamed } from "./rules.js";

const CANDIDATES = 8;
const MOVETIME = 200;
// The choice is left to the other while the chances are as even as this.
const EVEN = 0.06;

/** @typedef {"you" | "engine" | "first" | "second"} Player */

/** @typedef {"swap" | "swap2" | "rif"} OpeningRule */

export class Opening {
  /**
   * @param {OpeningRule} rule
   * @param {Player} opener who puts three stones
   * @param {Player} chooser
   */
  constructor(rule, opener, chooser) {
    [this.rule, this.opener, this.chooser] = [rule, opener, chooser];
    /** @type {"place" | "choose" | "add" | "chooseLast" | "done"} */
    this.phase = "place";
  }

  /** Who puts stones or chooses now; null once the colours are given out. */
  get actor() {
    const actors = {
      place: this.opener, choose: this.chooser, add: this.chooser, chooseLast: this.opener,
    };
    return actors[this.phase] ?? null;
  }

  get isChoice() {
    return this.phase === "choose" || this.phase === "chooseLast";
  }

  /** What may be chosen. */
  get options() {
    const mayAdd = this.phase === "choose" && this.rule === "swap2";
    return mayAdd ? ["light", "dark", "add"] : ["light", "dark"];
  }

  /** Whether the next stone, behind so many, may not lie on a cell. */
  forbids(game, ply, cell) {
    return this.phase === "place" && this.rule === "rif" && fromCentre(game, cell) > ply;
  }

  /** The stones on the board are so many. */
  reach(ply) {
    if (this.phase === "place" && ply >= 3) this.phase = "choose";
    if (this.phase === "add" && ply >= 5) this.phase = "chooseLast";
  }

  /**
   * The actor chooses.
   *
   * @param {"dark" | "light" | "add"} choice
   * @returns {Player | null} who is dark from now on; null while that is open
   */
  choose(choice) {
    const { actor } = this;
    if (choice === "add") {
      this.phase = "add";
      return null;
    }
    this.phase = "done";
    const rest = actor === this.opener ? this.chooser : this.opener;
    return choice === "dark" ? actor : rest;
  }

  /** What an engine chooses where the side to move, light, has this chance. */
  wise(chance) {
    if (this.options.includes("add") && Math.abs(chance - 0.5) <= EVEN) return "add";
    return chance >= 0.5 ? "light" : "dark";
  }
}

/**
 * Moves that lead from a line to a position as even as can be found among a few.
 *
 * @param {Opening} opening
 * @param {string[]} moves so far
 * @param {number} count of moves to add
 */
export async function evenMoves(game, opening, moves, count, signal) {
  const draw = opening.rule === "rif" ? central : scattered;
  const lines = Array.from({ length: CANDIDATES }, () => [...moves, ...draw(game, moves, count)]);
  const asked = { movetime: MOVETIME, errors: "each" };
  const answers = await positions(game.id, lines, asked, signal);
  const uneven = ({ win_rate: rate }) => Math.abs((rate ?? Infinity) - 0.5);
  const order = [...lines.keys()].sort((a, b) => uneven(answers[a]) - uneven(answers[b]));
  return lines[order[0]].slice(moves.length);
}

/** How far a cell is from the centre, in rows or columns. */
function fromCentre(game, cell) {
  const [row, column] = [Math.floor(cell / game.width), cell % game.width];
  const [middle, centre] = [Math.floor(game.height / 2), Math.floor(game.width / 2)];
  return Math.max(Math.abs(row - middle), Math.abs(column - centre));
}

/** Free cells that make an opening of renju of the first three stones. */
function central(game, moves, count) {
  const line = [...moves];
  const cells = Array.from({ length: game.width * game.height }, (_, cell) => cell);
  for (const ply of Array.from({ length: count }, (_, index) => moves.length + index)) {
    const free = cells.filter((cell) => fromCentre(game, cell) <= ply)
      .map((cell) => cellName(game, cell)).filter((name) => !line.includes(name));
    line.push(free[Math.floor(Math.random() * free.length)]);
  }
  return line.slice(moves.length);
}

/** Free cells near the stones, or near a point somewhere on an empty board. */
function scattered(game, moves, count) {
  const within = (least, most) => least + Math.floor(Math.random() * (most - least + 1));
  const taken = new Set(moves);
  const known = moves.length ? cellNamed(game, moves[within(0, moves.length - 1)]) : -1;
  const [column, row] = known < 0
    ? [within(1, game.width - 2), within(1, game.height - 2)]
    : [known % game.width, Math.floor(known / game.width)];
  const found = [];
  while (found.length < count) {
    const [x, y] = [column + within(-3, 3), row + within(-3, 3)];
    if (x < 0 || y < 0 || x >= game.width || y >= game.height) continue;
    const name = cellName(game, y * game.width + x);
    if (!taken.has(name)) found.push(name);
    taken.add(name);
  }
  return found;
}
