/** The known moves of a position: as marks on the board and as rows of a table. */

import { h, t } from "./dom.js";
import {
  formatMove, landing, mapMove, parseMove, symmetriesOf,
} from "./rules.js";
import { moveWords, quality, shortValue, valueWords } from "./words.js";

const ROWS = 12;

/**
 * A move of an answer, with all that the board is to know.
 *
 * @typedef {object} Known
 * @property {object} move as the service tells it
 * @property {import("./rules.js").Move} played
 * @property {string} quality
 * @property {number} size how much is behind it, 0 to 1
 * @property {(import("./rules.js").Move & {symmetry: number})[]} images it, and the moves that are
 *   the same by a symmetry of the position
 */

/** @returns {Known[]} best first */
export function knownMoves(game, position, answer) {
  const [best] = answer.moves;
  const deepest = Math.max(1, ...answer.moves.map((move) => move.depth));
  const symmetries = symmetriesOf(game, position);
  return answer.moves.map((move) => {
    const played = parseMove(game, move.move);
    const images = new Map();
    for (const symmetry of symmetries) {
      const image = { ...mapMove(game, played, symmetry), symmetry };
      const text = formatMove(game, image);
      if (!images.has(text)) images.set(text, image);
    }
    return {
      move, played, images: [...images.values()], quality: quality(move, best),
      size: move.proven ? 1 : move.depth / deepest,
    };
  });
}

/**
 * One mark a cell: that of the best move there.
 *
 * @param {Known[]} known
 * @returns {import("./board.js").Mark[]}
 */
export function marksOf(game, position, known) {
  const marks = new Map();
  known.forEach((each, index) => {
    for (const image of each.images) {
      const cell = landing(game, position, image.cell);
      if (marks.has(cell)) continue;
      marks.set(cell, {
        cell, text: shortValue(each.move), quality: each.quality, size: each.size,
        rest: each.move.source === "rest", first: index === 0, words: spoken(each, index),
      });
    }
  });
  return [...marks.values()];
}

function spoken(each, index) {
  const words = [valueWords(each.move), moveWords(each.move)];
  return [...words, index === 0 && t("cell.best")].filter(Boolean).join(", ");
}

/**
 * The table of known moves.
 *
 * @param {Known[]} known
 * @param {object} actions `play(move)`, `point(known | null)`, `all` whether to show every row,
 *   `showAll()`
 */
export function movesTable(known, { play, point, all, showAll }) {
  const shown = all ? known : known.slice(0, ROWS);
  const rows = shown.map((each) => h("tr", {
    class: each.quality, onpointerenter: () => point(each), onpointerleave: () => point(null),
    onfocusin: () => point(each), onfocusout: () => point(null), onclick: () => play(each.played),
  },
  h("th", { scope: "row" }, h("button", { type: "button" }, each.move.move)),
  h("td", {}, bar(each.move), h("span", { class: "value" }, valueWords(each.move))),
  h("td", { class: "behind" }, moveWords(each.move), images(each))));
  return [
    h("table", { class: "known" },
      h("caption", { class: "unseen" }, t("table.caption")),
      h("thead", {}, h("tr", {}, ["move", "chance", "behind"].map(
        (name) => h("th", { scope: "col" }, t(`table.${name}`)),
      ))),
      h("tbody", {}, rows)),
    shown.length < known.length && h("button", { type: "button", class: "quiet", onclick: showAll },
      t("table.all", { n: known.length })),
  ].filter(Boolean);
}

function images({ images: all }) {
  return all.length > 1 && h("small", {}, ` ${t("move.images", { n: all.length })}`);
}

function bar({ win_rate: rate }) {
  const part = h("i");
  part.style.setProperty("--part", rate);
  return h("span", { class: "bar", "aria-hidden": "true" }, part);
}

/** The line that an answer expects, each move a way to go there. */
export function mainLine(session, answer) {
  if (!answer.line.length) return [];
  const [game, line] = [session.game.id, session.line];
  return [
    h("h2", {}, t("mainline")),
    h("p", { class: "line" }, answer.line.map((move, index) => h("button", {
      type: "button",
      class: (line.length + index) % 2 ? "light" : "dark",
      onclick: () => session.load(game, [...line, ...answer.line.slice(0, index + 1)],
        { played: index === 0 }),
    }, move))),
  ];
}

/** Dark's part of the chances, as a bar. */
export function balance(dark) {
  const whole = h("div", { class: "balance", "aria-hidden": "true" }, h("i"));
  whole.style.setProperty("--dark", dark);
  return whole;
}
