/** The game on the board: its moves, the ply that is looked at, and both in the page's address. */

import { formatMove, gameOf, parseMove, play, replay, splitMoves } from "./rules.js";

const all = ["explore", "play", "proof"];
// A page without a service has no others than it names.
export const MODES = document.documentElement.dataset.modes?.split(" ") ?? all;

/**
 * Tells `change` whenever another position, game or mode is looked at; its detail has `played` if
 * that is the position after a move.
 */
export class Session extends EventTarget {
  /** @param {string} usual the game that an address names which names none */
  constructor(usual) {
    super();
    this.usual = usual;
    this.#read();
    addEventListener("popstate", () => {
      this.#read();
      this.#tell();
    });
  }

  get position() {
    return this.positions[this.ply];
  }

  /** The moves up to the position that is looked at. */
  get line() {
    return this.moves.slice(0, this.ply);
  }

  get isLatest() {
    return this.ply === this.moves.length;
  }

  /** Play a move in the position that is looked at; false if it cannot be played. */
  play(move) {
    if (!play(this.game, this.position, move)) return false;
    const text = formatMove(this.game, move);
    if (this.moves[this.ply] === text) {
      this.go(this.ply + 1);
    } else {
      this.load(this.game.id, [...this.line, text], { played: true });
    }
    return true;
  }

  playText(text) {
    const move = parseMove(this.game, text);
    return move !== null && this.play(move);
  }

  /** Look at another ply. */
  go(ply) {
    const before = this.ply;
    this.ply = Math.min(Math.max(ply, 0), this.moves.length);
    if (this.ply === before) return;
    history.replaceState(null, "", this.address());
    this.#tell({ played: this.ply === before + 1 });
  }

  /** Go to a game after `moves`. */
  load(id, moves = [], { ply = moves.length, mode = this.mode, played = false } = {}) {
    this.#set(id, moves, ply, mode);
    history.pushState(null, "", this.address());
    this.#tell({ played });
  }

  /** Take moves back until `count` are left. */
  cut(count) {
    this.load(this.game.id, this.moves.slice(0, count));
  }

  setMode(mode) {
    this.load(this.game.id, this.moves, { ply: this.ply, mode });
  }

  /** The address of what is looked at. */
  address(mode = this.mode) {
    const parts = [`game=${this.game.id}`];
    if (this.moves.length) parts.push(`moves=${this.moves.join(",")}`);
    if (!this.isLatest) parts.push(`ply=${this.ply}`);
    if (mode !== "explore") parts.push(`mode=${mode}`);
    return `#${parts.join("&")}`;
  }

  #read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const moves = splitMoves(asked.get("moves") ?? "");
    const ply = asked.has("ply") ? Number(asked.get("ply")) || 0 : moves.length;
    this.#set(asked.get("game") ?? this.usual, moves, ply, asked.get("mode") ?? "explore");
  }

  #set(id, moves, ply, mode) {
    const known = gameOf(id);
    this.game = known ?? gameOf(this.usual);
    this.positions = replay(this.game, known ? moves : []);
    this.moves = moves.slice(0, this.positions.length - 1);
    // What cannot be played here is asked about as it is: the service says what is wrong with it.
    this.refused = known && this.moves.length === moves.length ? null : { game: id, moves };
    this.mode = MODES.includes(mode) ? mode : MODES[0];
    this.ply = Math.min(Math.max(ply, 0), this.moves.length);
  }

  #tell(detail = {}) {
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }
}
