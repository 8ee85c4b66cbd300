/** What was imported of a position: how often it was played, with which results, and hints. */

import { h, t } from "./dom.js";

const MOVES = 8;
const percent = (part, whole) => Math.round((100 * part) / whole);

/** How often something was played, and how that ended. */
function told({ games, dark_wins: dark, draws, light_wins: light }) {
  const ended = dark + draws + light;
  const played = t("imported.played", { n: games });
  if (!ended) return played;
  const shares = [["dark", dark], ["draws", draws], ["light", light]]
    .filter(([, count]) => count)
    .map(([name, count]) => t(`imported.${name}`, { share: percent(count, ended) }));
  return [played, ...shares].join(", ");
}

function hintWords({ source, value, depth, comment }) {
  const words = value === null ? [] : [t("imported.value", { value: (value / 100).toFixed(2), depth })];
  return `${source}: ${[...words, comment].filter(Boolean).join("; ")}`;
}

/** What a page shows of it, nothing where there is nothing. @param {object} [imported] */
export function importedPart(imported) {
  if (!imported) return [];
  const { counts, moves, hints } = imported;
  const shown = hints.filter(({ value, comment }) => value !== null || comment);
  const played = moves.slice(0, MOVES);
  return [
    counts.games > 0 && h("p", { class: "imported" }, told(counts)),
    played.length > 0 && h("ul", { class: "imported" },
      played.map(({ move, counts: each }) => h("li", {}, h("b", {}, move), ` ${told(each)}`))),
    ...shown.map((hint) => h("p", { class: "imported hint" }, hintWords(hint))),
  ].filter(Boolean);
}
