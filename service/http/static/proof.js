/**
 * Watching a proof: in a proved position the winner's move, and an answer to every reply. A proved
 * position's answers are proofs all the way down, so each step is one more question.
 */

import { Problem, position as askPosition, positions as askPositions } from "./api.js";
import { complain, find, h, say, t } from "./dom.js";
import { balance, knownMoves, mainLine, marksOf } from "./known.js";
import { formatMove } from "./rules.js";
import { darkChance, headline, sideName, sourceWords } from "./words.js";

const ANSWER_MS = 800;
const STEP_MS = 1300;
const SEARCH_MS = 1000;
const REPLY_MS = 40;
const ROWS = 14;
// As many as may be asked for: each tells the winner's answer to a reply.
const LINES = 50;

const opposite = (side) => (side === "dark" ? "light" : "dark");

export class Proof {
  constructor(page) {
    this.page = page;
    this.asking = new AbortController();
    this.starts = null;
    this.runs = false;
  }

  /** Another position is looked at. */
  async change({ played = false } = {}) {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    [this.answer, this.replies, this.all] = [null, [], false];
    this.#show();
    try {
      await this.#look(signal, played);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.runs = false;
      complain(error.message || t("problem.offline"));
    }
  }

  leave() {
    this.asking.abort();
    this.runs = false;
  }

  scene() {
    if (!this.answer?.proven) return {};
    const { game, position } = this.page.session;
    return { marks: marksOf(game, position, this.#known()) };
  }

  async #look(signal, played) {
    const { session } = this.page;
    const asked = session.refused || { game: session.game.id, moves: session.line };
    this.answer = await askPosition(asked, { movetime: SEARCH_MS, lines: LINES }, signal);
    if (signal.aborted) return;
    this.#show();
    say(headline(this.answer));
    if (!this.answer.proven || this.answer.outcome) {
      this.runs = false;
      await this.#findStarts(signal);
    } else if (this.#isWinnersTurn()) {
      if (played || this.runs) await this.#step(signal, ANSWER_MS);
    } else {
      await this.#lookAtReplies(signal);
      if (this.runs) await this.#step(signal, STEP_MS);
    }
  }

  /** Play the best move after a while, unless another position is looked at by then. */
  async #step(signal, wait) {
    const { session } = this.page;
    if (!session.isLatest && !this.runs) return;
    await new Promise((done) => setTimeout(done, wait));
    if (!signal.aborted && this.answer?.best) session.playText(this.answer.best);
  }

  /** What becomes of the replies that the answer does not name. */
  async #lookAtReplies(signal) {
    const { session } = this.page;
    const named = new Set(this.#known().flatMap(
      (each) => each.images.map((image) => formatMove(session.game, image)),
    ));
    const others = legalMoves(session).filter((move) => !named.has(move));
    const lines = others.map((move) => [...session.line, move]);
    const asked = { movetime: REPLY_MS, errors: "each" };
    const answers = await askPositions(session.game.id, lines, asked, signal);
    if (signal.aborted) return;
    this.replies = others
      .map((move, index) => asReply(move, answers[index]))
      .filter(Boolean)
      .sort((a, b) => b.distance - a.distance);
    this.#show();
  }

  /** The games whose proof can be watched from the first move on. */
  async #findStarts(signal) {
    if (!this.starts) {
      const ids = [...new Set(this.page.books.flatMap(({ games }) => games.map(({ game }) => game)))];
      const asked = ids.map((game) => askPosition({ game, moves: [] }, { book_only: true }, signal)
        .catch(() => null));
      this.starts = (await Promise.all(asked)).filter((answer) => answer?.proven);
    }
    this.#show();
  }

  #isWinnersTurn() {
    return this.answer.value > 0 || !this.answer.distance;
  }

  /** The moves that are known, then the replies that were asked for one by one. */
  #known() {
    const { game, position } = this.page.session;
    const moves = [...this.answer.moves, ...this.replies];
    return knownMoves(game, position, { ...this.answer, moves });
  }

  #show() {
    const { answer } = this;
    const waiting = () => [h("p", { class: "headline faint" }, t("asking"))];
    find("#proof").replaceChildren(...(answer ? this.#told() : waiting()));
    this.page.redraw();
  }

  #told() {
    const { answer } = this;
    const head = [
      h("p", { class: "headline" }, answer.proven ? headline(answer) : t("proof.none")),
      answer.proven && balance(darkChance(answer, answer.to_move)),
      answer.proven && h("p", { class: "source proof" },
        h("span", { class: "badge" }, t("badge.proof")), sourceWords(answer)),
    ];
    if (!answer.proven) return [...head, ...this.#offered()].filter(Boolean);
    if (answer.outcome) return [...head, h("p", {}, t("proof.over")), ...this.#offered()].filter(Boolean);
    const side = sideName(answer.to_move);
    const winners = this.#isWinnersTurn();
    return [
      ...head,
      h("p", { class: "told" }, t(winners ? "proof.winner" : "proof.loser", {
        side, other: sideName(opposite(answer.to_move)), move: answer.best,
      })),
      h("div", { class: "row" },
        h("button", {
          type: "button", class: "primary", id: "step", disabled: this.runs,
          onclick: () => this.page.session.playText(answer.best),
        }, t(winners ? "proof.play" : "proof.resist", { move: answer.best })),
        h("button", { type: "button", id: "run", onclick: () => this.#toggle() },
          t(this.runs ? "proof.pause" : "proof.run"))),
      h("div", { id: "proof-line" }, mainLine(this.page.session, answer)),
      !winners && this.#replyTable(),
    ].filter(Boolean);
  }

  #toggle() {
    this.runs = !this.runs;
    this.change();
  }

  #offered() {
    if (!this.starts) return [];
    if (!this.starts.length) return [h("p", {}, t("proof.nowhere"))];
    return [
      h("p", { class: "told" }, t("proof.starts")),
      h("ul", { class: "starts" }, this.starts.map((answer) => h("li", {},
        h("a", { href: `#game=${answer.game}&mode=proof` }, answer.game), ` ${headline(answer)}`))),
    ];
  }

  #replyTable() {
    const { session } = this.page;
    const known = this.#known();
    const shown = this.all ? known : known.slice(0, ROWS);
    const rows = shown.map(({ move, played }) => h("tr", { class: "lost" },
      h("th", { scope: "row" }, h("button", { type: "button", onclick: () => session.play(played) },
        t("proof.if", { move: move.move }))),
      h("td", {}, move.line[1] ? t("proof.then", { move: move.line[1] }) : t("proof.then.see")),
      h("td", { class: "behind" }, move.distance && t("proof.within", { n: move.distance }))));
    return h("div", { id: "replies" },
      h("h2", {}, t("proof.replies", { n: known.length })),
      h("table", { class: "known" }, h("caption", { class: "unseen" }, t("proof.caption")),
        h("tbody", {}, rows)),
      shown.length < known.length && h("button", {
        type: "button", class: "quiet", onclick: () => { this.all = true; this.#show(); },
      }, t("table.all", { n: known.length })));
  }
}

/** The answer to a position as a move to it. */
function asReply(move, answer) {
  if (!answer?.proven || answer.value <= 0) return null;
  const distance = answer.distance + 1;
  return {
    ...answer, move, distance, value: -answer.value + 1, win_rate: 0, line: [move, ...answer.line],
    source: "live",
  };
}

function legalMoves({ game, position }) {
  const turns = game.turns.length ? game.turns : [""];
  const free = [...position.stones.keys()].filter((cell) => !position.stones[cell]);
  return free.flatMap((cell) => turns.map((turn) => formatMove(game, { cell, turn })));
}
