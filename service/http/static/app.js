/** The page with the board: puts its parts together. */

import * as api from "./api.js";
import { Board } from "./board.js";
import { offerGames } from "./chooser.js";
import { complain, find, h, say, t, translate } from "./dom.js";
import { Explore } from "./explore.js";
import { offerFiles } from "./files.js";
import { Hand } from "./hand.js";
import { Play } from "./play.js";
import { Proof } from "./proof.js";
import { cellName, outcome, parseMove, placed, winningCells, winsBeforeTurn } from "./rules.js";
import { MODES, Session } from "./session.js";
import { offerThemes } from "./theme-choice.js";
import { sideName } from "./words.js";

const USUAL = "gomoku-15";

document.title = t("title");
translate();
offerThemes();
const books = await api.books().catch((error) => {
  complain(error.message || t("problem.offline"));
  return [];
});
const session = new Session(books[0]?.games[0]?.game ?? USUAL);
const board = new Board(find("#board"), {
  choose: (cell) => choose(cell),
  point: (cell) => hand.cell === null && panel().pointAt?.(cell),
  cancel: () => hand.drop() && draw(),
});
const hand = new Hand({
  look: () => session,
  play: (move) => play(move),
  redraw: () => draw(),
  valueOf: (move) => panel().valueOf?.(move) ?? "",
});
const page = {
  session, redraw: () => draw(), play: (move) => play(move), relist: () => showMoves(), books,
};
const panels = { explore: new Explore(page), play: new Play(page), proof: new Proof(page) };
const panel = () => panels[session.mode];
const view = { symmetry: 0, coordinates: true, numbers: false };
// The change that is being animated: of two that follow quickly, the first gives way.
let drawing = null;
let mode = session.mode;

function choose(cell) {
  if (panel().mayPlay?.() ?? true) hand.choose(cell);
}

function play(move) {
  if (panel().forbids?.(move.cell)) {
    complain(t(panel().forbiddenText ?? "forbidden", { cell: cellName(session.game, move.cell) }));
  } else {
    session.play(move);
  }
}

function draw() {
  if (drawing) return;
  board.show(scene());
}

function scene() {
  const { game, position } = session;
  const marks = panel().scene();
  return {
    game, position, ...view, symmetry: allowed(view.symmetry), ...marks,
    winning: winningCells(game, position),
    label: t("board.label", { game: t(`game.${game.family}`), size: `${game.width}×${game.height}` }),
    speak: speaker(marks), ...hand.scene(),
  };
}

/** Stones that fall have to fall down. */
const allowed = (symmetry) => (session.game.kind === "columns" ? symmetry & 4 : symmetry);

/** What the cells say. */
function speaker({ marks = [], forbidden = [] }) {
  const { game, position } = session;
  const words = new Map(marks.map((mark) => [mark.cell, mark.words]));
  return (cell) => {
    const name = cellName(game, cell);
    const side = position.stones[cell];
    if (side) {
      return t("cell.stone", {
        cell: name, side: sideName(["", "dark", "light"][side]), ply: position.plies[cell],
      });
    }
    if (forbidden.includes(cell)) return t("cell.forbidden", { cell: name });
    return words.has(cell) ? `${name}: ${words.get(cell)}` : t("cell.free", { cell: name });
  };
}

async function change({ detail = {} }) {
  hand.drop();
  complain(null);
  const ours = {};
  drawing = ours;
  showMode();
  panel().change(detail);
  showMoves();
  if (detail.played) await animate();
  if (ours !== drawing) return;
  drawing = null;
  draw();
}

/** Show the last move as it is made: the stone, then the turn. */
async function animate() {
  const { game, ply, positions, moves } = session;
  const move = parseMove(game, moves[ply - 1]);
  const before = positions[ply - 1];
  const turns = move.turn && !winsBeforeTurn(game, before, move.cell);
  const position = turns ? placed(before, move.cell) : session.position;
  board.show({ ...scene(), position, marks: [], line: [], winning: [] });
  await board.animate(turns ? move.turn : null);
}

function showMode() {
  if (mode !== session.mode) panels[mode].leave?.();
  mode = session.mode;
  for (const name of MODES) {
    find(`#${name}`).hidden = name !== mode;
    const tab = find(`[data-mode=${name}]`);
    if (!tab) continue;
    tab.href = session.address(name);
    if (name === mode) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
}

function showMoves() {
  const { moves, ply, game } = session;
  const judged = panel().judgements?.() ?? new Map();
  find("#moves").replaceChildren(...moves.map((move, index) => h("li", { value: index + 1 },
    h("button", {
      type: "button", class: index % 2 ? "light" : "dark",
      "aria-current": ply === index + 1 && "step", onclick: () => session.go(index + 1),
    }, move, judged.has(index) && h("b", { title: judged.get(index) }, "?")))));
  const [list, current] = [find("#moves"), find("#moves [aria-current]")];
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  find("#values").parentNode.hidden = session.mode !== MODES[0];
  find("#no-moves").hidden = moves.length > 0;
  for (const step of ["first", "back"]) find(`#${step}`).disabled = ply === 0;
  for (const step of ["forward", "last"]) find(`#${step}`).disabled = session.isLatest;
  const over = outcome(game, session.position);
  if (over) say(t(`outcome.${over}`));
}

function offerTools() {
  const go = {
    first: () => 0, back: () => session.ply - 1, forward: () => session.ply + 1,
    last: () => session.moves.length,
  };
  for (const [name, ply] of Object.entries(go)) {
    find(`#${name}`).addEventListener("click", () => session.go(ply()));
  }
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (typing || !(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    session.go(go[keys[event.key]]());
  });
  // A quarter turn comes after the mirror, so that each button does what it says to what is seen.
  find("#rotate").addEventListener("click", () => turn((at) => (at & 4) | ((at + 3) & 3)));
  find("#flip").addEventListener("click", () => turn((at) => ((at ^ 4) & 4) | ((4 - (at & 3)) & 3)));
  for (const name of ["coordinates", "numbers"]) {
    find(`#${name}`).checked = view[name];
    find(`#${name}`).addEventListener("change", (event) => {
      view[name] = event.target.checked;
      draw();
    });
  }
  find("#new").addEventListener("click", () => session.load(session.game.id));
}

function turn(next) {
  view.symmetry = next(view.symmetry);
  draw();
}

offerGames(session, books);
offerTools();
offerFiles(session, () => panel().details?.() ?? {});
session.addEventListener("change", change);
change({});
document.documentElement.dataset.ready = "yes";
