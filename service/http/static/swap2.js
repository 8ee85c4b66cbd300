/**
 * The opening rule swap2: one player puts three stones, the other takes a colour, or puts two more
 * and leaves the choice of colour to the first.
 */

import { positions } from "./api.js";
import { cellName, cellNamed } from "./rules.js";

const CANDIDATES = 8;
const MOVETIME = 200;
// The choice is left to the other while the chances are as even as this.
const EVEN = 0.1;

/** @typedef {"you" | "engine" | "first" | "second"} Player */

export class Swap2 {
  /** @param {Player} opener who puts three stones */
  constructor(opener, chooser) {
    [this.opener, this.chooser] = [opener, chooser];
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
    return this.phase === "choose" ? ["light", "dark", "add"] : ["light", "dark"];
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
    if (this.phase === "choose" && Math.abs(chance - 0.5) <= EVEN) return "add";
    return chance >= 0.5 ? "light" : "dark";
  }
}

/**
 * Moves that lead from a line to a position as even as can be found among a few.
 *
 * @param {string[]} moves so far
 * @param {number} count of moves to add
 */
export async function evenMoves(game, moves, count, signal) {
  const lines = Array.from({ length: CANDIDATES }, () => [...moves, ...scattered(game, moves, count)]);
  const asked = { movetime: MOVETIME, errors: "each" };
  const answers = await positions(game.id, lines, asked, signal);
  const uneven = ({ win_rate: rate }) => Math.abs((rate ?? Infinity) - 0.5);
  const order = [...lines.keys()].sort((a, b) => uneven(answers[a]) - uneven(answers[b]));
  return lines[order[0]].slice(moves.length);
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
