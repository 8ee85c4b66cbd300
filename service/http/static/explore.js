/** Exploring: what is known of the position on the board, from a proof, a book or a live search. */

import { Problem, live, position as askPosition } from "./api.js";
import { complain, find, h, say, t } from "./dom.js";
import { importedPart } from "./imported.js";
import { balance, knownMoves, mainLine, marksOf, movesTable } from "./known.js";
import { openingOf } from "./openings.js";
import { cellName, formatMove, mapCell, parseMove } from "./rules.js";
import { darkChance, headline, shortValue, sideName, sourceWords } from "./words.js";

const LINES = 8;
const TIMES = [500, 1000, 3000, 5000];
// A pointer that only crosses a row asks for nothing.
const HOVER_MS = 120;

export class Explore {
  /** @param {object} page `session`, `redraw()`, `play(move)` */
  constructor(page) {
    this.page = page;
    this.answers = new Map();
    this.lines = new Map();
    this.movetime = 1000;
    this.asking = new AbortController();
    this.#setUp();
  }

  /** Another position is looked at. */
  async change() {
    this.asking.abort();
    this.asking = new AbortController();
    [this.pointed, this.all] = [null, false];
    const asked = this.#asked();
    const stored = this.answers.get(keyOf(asked));
    this.answer = stored ?? null;
    this.busy = !stored;
    this.#show();
    if (!stored) await this.#ask(asked, this.asking.signal);
  }

  /** Another mode has the board. */
  leave() {
    this.asking.abort();
  }

  /** What the board shows. */
  scene() {
    if (!this.answer) return {};
    const { game, position } = this.page.session;
    const marks = this.showsValues.checked ? marksOf(game, position, this.known) : [];
    const forbidden = this.answer.forbidden.map((name) => parseMove(game, name).cell);
    if (!this.pointed) return { marks, forbidden };
    const { cells, turn } = this.#lineOf(this.pointed);
    // A move of which no more is known hides nothing.
    const line = cells.length > 1 ? cells : [];
    return { marks, forbidden, line, chosen: [...turn].filter(Number).map(Number) };
  }

  /** Whether a rule forbids a stone on `cell`. */
  forbids(cell) {
    const name = cellName(this.page.session.game, cell);
    return Boolean(this.answer?.forbidden.includes(name));
  }

  /** The pointer or the focus is on a cell. */
  pointAt(cell) {
    const found = cell !== null && this.known?.find(
      (each) => each.images.some((image) => image.cell === cell),
    );
    this.#point(found || null, cell);
  }

  /** What is known of a move, in a few letters. */
  valueOf(move) {
    const text = formatMove(this.page.session.game, move);
    const same = (image) => formatMove(this.page.session.game, image) === text;
    const found = this.known?.find((each) => each.images.some(same));
    return found ? shortValue(found.move) : "";
  }

  #setUp() {
    this.showsValues = find("#values");
    this.showsValues.addEventListener("change", () => this.page.redraw());
    const times = find("#movetime");
    times.append(...TIMES.map((time) => h("option", { value: time }, t("time", { s: time / 1000 }))));
    times.value = this.movetime;
    times.addEventListener("change", () => {
      this.movetime = Number(times.value);
      for (const [key, answer] of this.answers) if (answer.source === "live") this.answers.delete(key);
      this.change();
    });
  }

  #asked() {
    const { session } = this.page;
    return session.refused || { game: session.game.id, moves: session.line };
  }

  async #ask(asked, signal) {
    try {
      for await (const answer of live(asked, { movetime: this.movetime, lines: LINES }, signal)) {
        if (signal.aborted) return;
        this.#take(answer);
      }
      if (this.answer) this.answers.set(keyOf(asked), this.answer);
      this.busy = false;
      this.#show();
      if (this.answer) say(this.#summary());
    } catch (error) {
      if (!signal.aborted) this.#fail(error, signal);
    }
  }

  #take(answer) {
    const drawn = answer.game === this.page.session.game.id;
    complain(drawn ? null : t("problem.undrawn", { game: answer.game }));
    if (!drawn) return;
    this.answer = answer;
    this.#show();
  }

  #fail(error, signal) {
    if (!(error instanceof Problem)) throw error;
    this.busy = false;
    this.#show();
    complain(error.message || t("problem.offline"));
    if (error.retryAfter) {
      setTimeout(() => signal.aborted || this.change(), 1000 * Math.max(error.retryAfter, 1));
    }
  }

  #summary() {
    const { answer } = this;
    const best = answer.best ? t("spoken.best", { move: answer.best }) : "";
    return [headline(answer), best, sourceWords(answer)].filter(Boolean).join(". ");
  }

  #show() {
    const { session } = this.page;
    const { answer } = this;
    this.known = answer ? knownMoves(session.game, session.position, answer) : null;
    find("#verdict").replaceChildren(...this.#verdict());
    find("#known").replaceChildren(...this.#table());
    find("#mainline").replaceChildren(...(answer ? mainLine(session, answer) : []));
    find("#explore").setAttribute("aria-busy", String(this.busy));
    this.page.redraw();
  }

  #verdict() {
    const { answer } = this;
    if (!answer) return [h("p", { class: "headline faint" }, t(this.busy ? "asking" : "nothing"))];
    const turn = h("p", { class: "turn" }, h("i", { class: `dot ${answer.to_move}` }),
      t("to.move", { side: sideName(answer.to_move) }));
    return [
      answer.outcome ? null : turn,
      h("p", { class: "headline" }, headline(answer)),
      balance(darkChance(answer, answer.to_move)),
      h("p", { class: `source ${answer.source}` },
        h("span", { class: "badge" }, t(`badge.${answer.source}`)), sourceWords(answer),
        this.busy && answer.source === "live" && h("i", { class: "ticking", "aria-hidden": "true" })),
      this.#opening(),
      ...importedPart(answer.imported),
    ].filter(Boolean);
  }

  #opening() {
    const { game, line } = this.page.session;
    const cells = line.slice(0, 3).map((text) => parseMove(game, text).cell);
    const opening = openingOf(game, cells);
    return opening && h("p", { class: "opening" }, t("opening", opening),
      h("span", { lang: "ja" }, opening.kanji));
  }

  #table() {
    if (!this.answer || !this.known.length) return [];
    return movesTable(this.known, {
      play: (move) => this.page.play(move),
      point: (known) => this.#point(known),
      all: this.all,
      showAll: () => { this.all = true; this.#show(); },
    });
  }

  #point(known, cell = null) {
    if (known === this.pointed && cell === this.pointedCell) return;
    this.pointed = known;
    this.pointedCell = cell;
    clearTimeout(this.hovering);
    if (known && known.move.line.length < 2) {
      this.hovering = setTimeout(() => this.#fetchLine(known), HOVER_MS);
    }
    this.page.redraw();
  }

  /** The line of a move that the answer has none of. */
  async #fetchLine(known) {
    const { session } = this.page;
    const asked = { game: session.game.id, moves: [...session.line, known.move.move] };
    try {
      const next = await askPosition(asked, { book_only: true }, this.asking.signal);
      known.move.line = [known.move.move, ...next.line];
    } catch {
      return; // No book goes on from there.
    }
    if (this.pointed === known) this.page.redraw();
  }

  /** The cells of a move's line and its turn, as they are for the image that is pointed at. */
  #lineOf({ move, images }) {
    const { game } = this.page.session;
    const image = images.find(({ cell }) => cell === this.pointedCell) ?? images[0];
    const cells = move.line.map((text) => mapCell(game, parseMove(game, text).cell, image.symmetry));
    return { cells, turn: image.turn };
  }
}

const keyOf = ({ game, moves }) => `${game} ${moves.join(" ")}`;
