/** The page of a book: what it holds, how it grew, what it lacks, and what is being built. */

import { Problem, book as askBook } from "./api.js";
import { miniature } from "./board.js";
import { barChart, lineChart } from "./chart.js";
import { complain, find, h, number, percent, rough, t, translate } from "./dom.js";
import { cellNamed, gameOf, initial } from "./rules.js";
import { offerThemes } from "./theme-choice.js";

// How often a book that is being built is looked at.
const AGAIN_MS = 5000;
const KINDS = ["proven-part", "other-part"];

const root = document.documentElement;
const place = find("#book");

async function show() {
  try {
    const book = await askBook(place.dataset.name);
    complain(null);
    place.replaceChildren(...book.games.map(gameCard));
    if (book.games.some(isBeingBuilt)) setTimeout(show, AGAIN_MS);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    place.replaceChildren();
    complain(error.status === 404 ? t("book.unknown", { name: place.dataset.name })
      : error.message || t("problem.offline"));
  }
  place.setAttribute("aria-busy", "false");
  root.dataset.ready = "yes";
}

const isBeingBuilt = ({ planned, runs }) => planned > 0 && runs.length > 0 && !runs.at(-1).ended;

function gameCard(game) {
  return h("section", { class: "glance" },
    h("h2", {}, h("a", { href: `${root.dataset.base}#game=${game.game}` }, game.title)),
    figures(game),
    isBeingBuilt(game) && progress(game),
    h("div", { class: "charts" },
      chart("plies", pliesChart(game)), chart("chances", chancesChart(game)),
      chart("branching", branchingChart(game)), chart("growth", growthChart(game))),
    game.missed.length > 0 && missed(game),
    h("h3", {}, t("book.runs")), runsTable(game));
}

function figures({ positions, proven, layers, runs }) {
  const nodes = runs.reduce((sum, run) => sum + run.nodes, 0);
  const told = {
    positions: number(positions),
    proven: positions ? percent(proven / positions) : "–",
    deepest: layers.length ? number(layers.at(-1).ply) : "–",
    nodes: rough(nodes),
  };
  return h("dl", { class: "figures" }, Object.entries(told).map(([name, value]) =>
    h("div", {}, h("dt", {}, t(`book.${name}`)), h("dd", {}, value))));
}

function progress({ runs, planned }) {
  const { parameters, positions } = runs.at(-1);
  const goal = parameters.positions;
  return h("div", { class: "card building" },
    h("p", {}, t("book.building", { positions: number(positions), planned: number(planned) })),
    goal && h("progress", { max: goal, value: positions, "aria-label": t("book.progress") }));
}

function chart(name, drawn) {
  return h("figure", { class: "card" }, h("figcaption", {}, t(`book.${name}.title`)),
    drawn ?? h("p", { class: "faint" }, t("book.unrecorded")),
    ["plies", "chances"].includes(name) && h("p", { class: "key small" },
      KINDS.map((kind) => h("span", { class: kind }, t(`book.${kind}`)))));
}

function pliesChart({ layers }) {
  const bars = layers.map(({ ply, positions, proven }) =>
    ({ name: String(ply), parts: [proven, positions - proven] }));
  return bars.length ? barChart(bars, { label: t("book.plies.label", {
    n: layers.length, largest: number(Math.max(...layers.map((layer) => layer.positions))),
  }), kinds: KINDS, format: rough }) : null;
}

function chancesChart({ proven_chances: proven, other_chances: others }) {
  const bars = proven.map((count, bin) =>
    ({ name: percent(bin / proven.length), parts: [count, others[bin]] }));
  return barChart(bars, { label: t("book.chances.title"), kinds: KINDS, format: rough });
}

function branchingChart({ branching }) {
  const points = Object.entries(branching).map(([ply, y]) => ({ x: Number(ply), y }));
  if (!points.length) return null;
  return lineChart(points, { label: t("book.branching.title"), format: (value) => value.toFixed(1) });
}

function growthChart({ history, positions }) {
  if (!history.length) return null;
  const points = history.map((each) => ({
    x: each.positions, y: each.proven ? Number(each.value > 0) || (each.value === 0) / 2 : logistic(each.value),
  }));
  points.push({ x: positions, y: points.at(-1).y });
  return lineChart(points, {
    label: t("book.growth.title"), range: [0, 1], format: percent, stepped: true, names: rough,
  });
}

const logistic = (value) => 1 / (1 + Math.exp(-value / 400));

function missed({ game: id, missed: all }) {
  const game = gameOf(id);
  return [
    h("h3", {}, t("book.missed")),
    h("ul", { class: "missed" }, all.map((each) => h("li", {},
      game && miniature({ game, position: stonesOf(game, each) }),
      h("span", {}, t("book.times", { n: each.count })),
      each.moves !== null && h("a", {
        href: `${root.dataset.base}#game=${id}&moves=${each.moves.replaceAll(" ", ",")}`,
        "aria-label": t("book.missed.look", { moves: each.moves || t("book.empty") }),
      }, t("book.look"))))),
  ];
}

function stonesOf(game, { dark, light }) {
  const position = initial(game);
  [dark, light].forEach((cells, index) => cells.forEach((name) => {
    position.stones[cellNamed(game, name)] = index + 1;
  }));
  return { ...position, ply: dark.length + light.length };
}

function runsTable({ runs }) {
  const columns = ["run", "started", "ended", "search", "positions", "searches", "nodes"];
  const day = (text) => text && h("time", { datetime: text }, text.slice(0, 16).replace("T", " "));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("book.runs") },
    h("table", { class: "runs" },
      h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, t(`runs.${name}`))))),
      h("tbody", {}, runs.map((run) => h("tr", {},
        h("th", { scope: "row" }, String(run.id)), h("td", {}, day(run.started)),
        h("td", {}, day(run.ended) ?? t("runs.open")), h("td", {}, searchOf(run)),
        h("td", {}, number(run.positions)), h("td", {}, number(run.searches)),
        h("td", {}, rough(run.nodes)))))));
}

/** How a run searched: its mode, and the limits of each search. */
function searchOf({ parameters }) {
  const limits = Object.entries(parameters.limits ?? {}).filter(([, value]) => value);
  const words = limits.map(([name, value]) => `${name} ${number(value)}`);
  return [parameters.mode, parameters.root, ...words].filter(Boolean).join(", ");
}

translate();
offerThemes();
await show();
