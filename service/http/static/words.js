/** Answers of the service in words. */

import { number, percent, rough, t } from "./dom.js";

/** @typedef {{value: number, proven: boolean, bound: string, distance: number, win_rate: number}} Valued */

export const sideName = (side) => t(`side.${side}`);

const opposite = (side) => (side === "dark" ? "light" : "dark");

/** Dark's chance by a value for `side`. */
export const darkChance = (valued, side) =>
  side === "dark" ? valued.win_rate : 1 - valued.win_rate;

/** A chance that is not proved is never told as certain. */
const believed = ({ win_rate: rate }) => Math.min(Math.max(rate, 0.01), 0.99);

/** A value in two or three characters, for a cell of the board. */
export function shortValue(valued) {
  if (!valued.proven) return String(Math.round(100 * believed(valued)));
  if (!valued.distance) return t("mark.draw");
  return t(valued.value > 0 ? "mark.win" : "mark.loss", { distance: valued.distance });
}

/** A value for the side to move in a few words: 57 %, wins within 17. */
export function valueWords(valued) {
  if (!valued.proven) return percent(believed(valued));
  if (!valued.distance) return t("value.draw");
  const within = valued.bound === "exact" ? "in" : "within";
  return t(`value.${valued.value > 0 ? "wins" : "loses"}.${within}`, { n: valued.distance });
}

/** The whole answer in a sentence's worth of words. */
export function headline(answer) {
  const side = answer.to_move;
  if (answer.outcome) return t(`outcome.${answer.outcome}`);
  if (!answer.proven) {
    const dark = darkChance({ win_rate: believed(answer) }, side);
    const ahead = dark >= 0.5 ? "dark" : "light";
    return t("headline.chance", { side: sideName(ahead), chance: percent(Math.max(dark, 1 - dark)) });
  }
  if (!answer.distance) return t("headline.draw");
  const winner = answer.value > 0 ? side : opposite(side);
  const within = answer.bound === "exact" ? "in" : "within";
  return t(`headline.win.${within}`, { side: sideName(winner), n: answer.distance });
}

/** Where an answer came from. */
export function sourceWords(answer) {
  const values = {
    depth: answer.depth, nodes: rough(answer.nodes), seconds: (answer.milliseconds / 1000).toFixed(1),
  };
  if (answer.outcome) return t("source.over");
  if (answer.source === "book") return t("source.book", values);
  if (answer.source === "live") return t("source.live", values);
  if (answer.method === "solver") return t("source.solved", values);
  return t(answer.method ? "source.proven" : "source.proof", values);
}

/** What is behind the value of one move. */
export function moveWords(move) {
  if (move.source === "rest") return t("move.rest");
  if (move.proven) return t("move.proven");
  const behind = t(`move.${move.source}`, { depth: number(move.depth) });
  return move.uncertainty === null
    ? behind : t("move.sure", { behind, off: percent(move.uncertainty) });
}

/**
 * How good a move is beside the best one.
 *
 * @returns {import("./board.js").Mark["quality"]}
 */
export function quality(move, best) {
  if (move.proven && move.value > 0) return "won";
  if (move.proven && move.distance) return "lost";
  const lost = best.win_rate - move.win_rate;
  if (move.proven && lost < 0.02) return "drawn";
  if (lost < 0.02) return "best";
  if (lost < 0.08) return "good";
  return lost < 0.2 ? "fair" : "poor";
}
