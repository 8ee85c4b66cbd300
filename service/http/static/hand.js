/** The hand that plays: clicks on cells become moves, in games of quadrants after a turn is chosen. */

import { find, h, t } from "./dom.js";
import { cellName, landing, placed, quadrantOf, winsBeforeTurn } from "./rules.js";

const SIGNS = { R: "↻", L: "↺", F: "⇋" };

export class Hand {
  /**
   * @param {object} page
   * @param {() => {game: object, position: object}} page.look what is on the board
   * @param {(move: object) => void} page.play
   * @param {() => void} page.redraw
   * @param {(move: object) => string} page.valueOf what is known of a move, in a few letters
   */
  constructor(page) {
    this.page = page;
    this.cell = null;
    this.chosen = [];
    this.place = find("#turns");
    addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Let go of a stone that waits for its turn. */
  drop() {
    const held = this.cell !== null;
    [this.cell, this.chosen] = [null, []];
    this.#showTurns();
    return held;
  }

  /** A cell of the board was chosen. */
  choose(cell) {
    const { game, position } = this.page.look();
    if (this.cell !== null) {
      if (cell === this.cell) this.drop();
      else this.#chooseQuadrant(quadrantOf(cell));
      this.page.redraw();
      return;
    }
    const at = landing(game, position, cell);
    if (position.stones[at]) return;
    if (game.kind !== "quadrants") {
      this.page.play({ cell: at, turn: "" });
    } else if (winsBeforeTurn(game, position, at)) {
      // Nothing is turned after such a stone, whatever is written.
      this.page.play({ cell: at, turn: game.turns[0] });
    } else {
      this.cell = at;
      this.#showTurns();
      this.page.redraw();
    }
  }

  /** What the board shows while a stone waits for its turn. */
  scene() {
    if (this.cell === null) return {};
    const position = placed(this.page.look().position, this.cell);
    return { position, marks: [], line: [], chosen: this.chosen, choosing: true, hint: null };
  }

  #chooseQuadrant(quadrant) {
    const { game } = this.page.look();
    const swaps = game.turns.includes("12");
    const again = this.chosen.includes(quadrant);
    this.chosen = again && swaps ? [] : [...(swaps ? this.chosen : []), quadrant].sort();
    if (this.chosen.length === 2) this.#finish(this.chosen.join(""));
    else this.#showTurns();
  }

  #finish(turn) {
    const move = { cell: this.cell, turn };
    this.drop();
    this.page.play(move);
  }

  #showTurns() {
    this.place.hidden = this.cell === null;
    if (this.place.hidden) return;
    const { game } = this.page.look();
    const wanted = game.turns.filter((turn) => this.chosen.every((each) => turn.includes(each)));
    this.place.replaceChildren(
      h("p", {}, t(game.turns.includes("12") ? "turns.swap" : "turns.turn",
        { cell: cellName(game, this.cell) })),
      h("div", { class: "choices" }, wanted.map((turn) => this.#button(turn)),
        h("button", { type: "button", class: "quiet", onclick: () => this.#cancel() },
          t("turns.cancel"))),
    );
  }

  #button(turn) {
    const value = this.page.valueOf({ cell: this.cell, turn });
    const [first, second] = turn;
    const name = SIGNS[second] ? t(`turn.${second}`, { first }) : t("turn.swap", { first, second });
    const sign = SIGNS[second] ? `${first} ${SIGNS[second]}` : `${first} ⇄ ${second}`;
    return h("button", {
      type: "button", "aria-label": value ? `${name}, ${value}` : name, "data-turn": turn,
      onclick: () => this.#finish(turn),
    }, sign, value && h("small", {}, value));
  }

  #cancel() {
    this.drop();
    this.page.redraw();
  }

  #onKey(event) {
    if (this.cell === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const { game } = this.page.look();
    const key = event.key.toUpperCase();
    if (/^[1-4]$/.test(key)) this.#chooseQuadrant(Number(key));
    else if (key === "ESCAPE") this.drop();
    else if (this.chosen.length && game.turns.includes(this.chosen[0] + key)) {
      this.#finish(this.chosen[0] + key);
    } else return;
    this.page.redraw();
  }
}
