/** Choosing a game: its family, and the size and rule where there is a choice. */

import { find, h, number, t } from "./dom.js";
import { gameOf, LARGEST, NARROWEST, SMALLEST, WIDEST } from "./rules.js";

const FAMILIES = ["gomoku", "pentago-swap", "pentago", "pentago-twist", "connect-four"];
const RULES = ["", "standard", "renju"];
const USUAL = { gomoku: "gomoku-15", "connect-four": "connect-four-7x6" };

const range = (least, most) => Array.from({ length: most - least + 1 }, (_, n) => least + n);

/** @param {import("./session.js").Session} session */
export function offerGames(session, books) {
  const family = select("#family", FAMILIES.map((name) => [name, t(`game.${name}`)]));
  const size = select("#size", range(SMALLEST, LARGEST).map((n) => [n, `${n}×${n}`]));
  const rule = select("#rule", RULES.map((name) => [name, t(`rule.${name || "freestyle"}`)]));
  const width = select("#width", range(NARROWEST, WIDEST).map((n) => [n, String(n)]));
  const height = select("#height", range(NARROWEST, WIDEST).map((n) => [n, String(n)]));
  const suffix = () => rule.value && `-${rule.value}`;
  const load = (id) => session.load(id);
  family.addEventListener("change", () => load(USUAL[family.value] ?? family.value));
  for (const part of [size, rule]) {
    part.addEventListener("change", () => load(`gomoku-${size.value}${suffix()}`));
  }
  for (const part of [width, height]) {
    part.addEventListener("change", () => load(`connect-four-${width.value}x${height.value}`));
  }
  const show = () => {
    const { game } = session;
    family.value = game.family;
    for (const part of [size, rule]) part.parentNode.hidden = game.family !== "gomoku";
    for (const part of [width, height]) part.parentNode.hidden = game.family !== "connect-four";
    [size.value, rule.value, width.value, height.value] =
      [game.width, game.rule, game.width, game.height];
  };
  session.addEventListener("change", show);
  show();
  offerBooks(session, books);
}

function select(selector, options) {
  const node = find(selector);
  node.append(...options.map(([value, text]) => h("option", { value }, text)));
  return node;
}

/** Links to the games that there are books of. */
function offerBooks(session, books) {
  const items = books.flatMap(({ file, games }) => games.map(({ game, title, positions }) => h("li", {},
    gameOf(game) ? h("a", { href: `#game=${game}` }, title) : title,
    h("small", {}, t("books.positions", { n: number(positions) })),
    file && h("a", { class: "more", href: `books/${encodeURIComponent(file)}` }, file))));
  find("#books").replaceChildren(...items);
  find("#books-none").hidden = items.length > 0;
}
