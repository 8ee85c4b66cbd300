/**
 * One board for every game, drawn as SVG: grids with stones on their points, four quadrants that
 * change places, turn and flip, and columns into which stones fall. It draws what it is given and
 * tells which cell is pointed at or chosen. To a screen reader it is a grid of spoken cells.
 */

import { h, prefersStillness, s } from "./dom.js";
import {
  DARK, LIGHT, columnName, cornerOf, mapCell, other, quadrantOf, toMove,
} from "./rules.js";

const UNIT = 40;
const [PADDING, COORDINATES] = [8, 24];
const GAP = 6;
// On more columns than these, letters have to be larger to be read.
const LARGE = 19;
const TURN_MS = 420;
const DROP_MS = 260;

/**
 * A move as it is drawn on its cell.
 *
 * @typedef {object} Mark
 * @property {number} cell
 * @property {string} text
 * @property {"won" | "best" | "good" | "fair" | "poor" | "lost" | "drawn"} quality
 * @property {number} size 0 to 1
 * @property {boolean} [rest] whether it stands for all moves that are not named
 * @property {boolean} [first] whether it is the best
 */

/**
 * @typedef {object} Scene
 * @property {import("./rules.js").Game} game
 * @property {import("./rules.js").Position} position
 * @property {number} [symmetry] how the board is turned
 * @property {boolean} [coordinates]
 * @property {boolean} [numbers] whether stones show the number of their move
 * @property {Mark[]} [marks]
 * @property {number[]} [forbidden]
 * @property {number[]} [line] cells of the moves that would follow
 * @property {number[]} [winning]
 * @property {number | null} [hint]
 * @property {number[]} [chosen] quadrants
 * @property {boolean} [choosing] whether a quadrant is to be chosen
 * @property {string} [label]
 * @property {(cell: number) => string} [speak] what a cell says
 */

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {object} [listeners] `choose(cell)`, `point(cell | null)`, `cancel()`
   */
  constructor(host, listeners = {}) {
    this.host = host;
    this.listeners = listeners;
    this.focused = null;
    this.built = "";
    host.addEventListener("pointerleave", () => this.#tell("point", null));
    host.addEventListener("focusout", () => this.#tell("point", null));
  }

  /** @param {Scene} scene */
  show(scene) {
    this.scene = scene;
    const { game, symmetry = 0, coordinates = false } = scene;
    const built = [game.id, symmetry, coordinates].join();
    if (built !== this.built) this.#build();
    this.built = built;
    this.#drawStones();
    this.#drawOver();
    this.#speak();
  }

  /** Show the stone that `scene` has last as it falls; a turn as it is done. */
  async animate(turn) {
    if (prefersStillness()) return;
    const moves = turn ? this.#turning(turn) : this.#falling();
    this.layers.over.replaceChildren();
    await Promise.allSettled(moves.map((animation) => animation.finished));
  }

  /** The middle of a cell as it is drawn. */
  #at(cell) {
    const { game, symmetry = 0 } = this.scene;
    const image = mapCell(game, cell, symmetry);
    const [column, row] = [image % game.width, game.height - 1 - Math.floor(image / game.width)];
    const gap = (index) => (game.kind === "quadrants" && index > 2 ? GAP : 0);
    return {
      column,
      row,
      x: this.left + (column + 0.5) * UNIT + gap(column),
      y: this.top + (row + 0.5) * UNIT + gap(row),
    };
  }

  #build() {
    const { game, coordinates, label } = this.scene;
    this.left = PADDING + (coordinates ? COORDINATES : 0);
    this.top = PADDING;
    const gap = game.kind === "quadrants" ? GAP : 0;
    const width = this.left + game.width * UNIT + gap + PADDING;
    const height = this.top + game.height * UNIT + gap + PADDING + (coordinates ? COORDINATES : 0);
    const layer = (name, ...children) => s("g", { class: name, "aria-hidden": "true" }, children);
    this.layers = {
      under: layer("under"),
      stones: layer("stones"),
      over: layer("over"),
    };
    this.cells = this.#buildCells();
    if (this.focused >= this.cells.nodes.length) this.focused = null;
    this.grid = s("g", {
      class: "cells", role: "grid", "aria-label": label,
      "aria-rowcount": game.height, "aria-colcount": game.width,
    }, this.cells.rows);
    this.svg = s("svg", {
      class: `board ${game.kind} ${game.width > LARGE ? "large" : ""}`,
      viewBox: `0 0 ${width} ${height}`,
      role: "presentation",
      onkeydown: (event) => this.#onKey(event),
    }, gradients(), layer("plate", s("rect", { width, height, rx: 10, class: "wood" })),
    Object.values(this.layers), this.grid);
    this.svg.style.setProperty("aspect-ratio", `${width} / ${height}`);
    this.host.style.setProperty("--board-ratio", width / height);
    this.layers.under.append(...this.#lines(), ...(coordinates ? this.#coordinates() : []));
    this.host.replaceChildren(this.svg);
  }

  #buildCells() {
    const { game } = this.scene;
    const rows = Array.from({ length: game.height }, (_, row) =>
      s("g", { role: "row", "aria-rowindex": row + 1 }));
    const nodes = [];
    const order = [...Array(game.width * game.height).keys()]
      .map((cell) => ({ cell, ...this.#at(cell) }))
      .sort((a, b) => a.column - b.column);
    for (const { cell, column, row, x, y } of order) {
      const node = s("g", {
        role: "gridcell", class: "cell", tabindex: -1, "aria-colindex": column + 1,
        onclick: () => this.#tell("choose", cell),
        onpointerenter: () => this.#tell("point", cell),
        onfocus: () => { this.focused = cell; this.#tell("point", cell); },
      }, s("rect", { x: x - UNIT / 2, y: y - UNIT / 2, width: UNIT, height: UNIT }));
      nodes[cell] = node;
      rows[row].append(node);
    }
    return { rows, nodes };
  }

  #lines() {
    const { game } = this.scene;
    if (game.kind === "quadrants") return this.#plates();
    const cells = [...Array(game.width * game.height).keys()];
    if (game.kind === "columns") {
      return [
        s("rect", {
          class: "rack", x: this.left, y: this.top, rx: 8,
          width: game.width * UNIT, height: game.height * UNIT,
        }),
        ...cells.map((cell) => hole(this.#at(cell))),
      ];
    }
    const [first, last] = [UNIT / 2, (game.width - 0.5) * UNIT];
    const path = Array.from({ length: game.width }, (_, index) => {
      const at = (index + 0.5) * UNIT;
      return `M${first} ${at}H${last}M${at} ${first}V${last}`;
    }).join("");
    return [
      s("path", { class: "lines", d: path, transform: `translate(${this.left} ${this.top})` }),
      ...stars(game.width).map((cell) => {
        const { x, y } = this.#at(cell);
        return s("circle", { class: "star", cx: x, cy: y, r: 3.4 });
      }),
    ];
  }

  /** The four quadrants, each a group of its own that can move. */
  #plates() {
    this.quadrants = [1, 2, 3, 4].map((quadrant) => {
      const { left, top } = this.#boxOf(quadrant);
      const group = s("g", { class: "quadrant" },
        s("rect", {
          class: "tile", x: left + 1, y: top + 1, width: 3 * UNIT - 2, height: 3 * UNIT - 2, rx: 9,
        }));
      group.append(
        ...cellsOf(quadrant).map((cell) => hole(this.#at(cell))),
        s("text", { class: "name", x: left + 6, y: top + 9.5 }, String(quadrant)),
        s("g"),
      );
      return group;
    });
    return this.quadrants;
  }

  #boxOf(quadrant) {
    const places = cellsOf(quadrant).map((cell) => this.#at(cell));
    const [left, top] = ["x", "y"].map(
      (axis) => Math.min(...places.map((place) => place[axis])) - UNIT / 2,
    );
    return { left, top, x: left + 1.5 * UNIT, y: top + 1.5 * UNIT };
  }

  #coordinates() {
    const { game, symmetry = 0 } = this.scene;
    const named = (cell, wantsColumn) =>
      wantsColumn === (symmetry % 2 === 0)
        ? columnName(cell % game.width)
        : String(Math.floor(cell / game.width) + 1);
    const bottom = this.top + game.height * UNIT + (game.kind === "quadrants" ? GAP : 0);
    return this.cells.nodes.flatMap((_, cell) => {
      const { column, row, x, y } = this.#at(cell);
      return [
        row === game.height - 1 && s("text", { class: "coordinate", x, y: bottom + 16 },
          named(cell, true)),
        column === 0 && s("text", { class: "coordinate", x: this.left - 13, y: y + 4.5 },
          named(cell, false)),
      ];
    }).filter(Boolean);
  }

  #drawStones() {
    const { game, position } = this.scene;
    const groups = [[], [], [], []];
    this.lastStone = null;
    position.stones.forEach((side, cell) => {
      if (!side) return;
      const stone = this.#stone(cell, side);
      groups[game.kind === "quadrants" ? quadrantOf(cell) - 1 : 0].push(stone);
      if (cell === position.last) this.lastStone = stone;
    });
    if (game.kind === "quadrants") {
      this.quadrants.forEach((group, index) => group.lastChild.replaceChildren(...groups[index]));
    } else {
      this.layers.stones.replaceChildren(...groups[0]);
    }
  }

  #stone(cell, side) {
    const { position, numbers } = this.scene;
    const { x, y } = this.#at(cell);
    const isLast = cell === position.last;
    const number = numbers && position.plies[cell];
    return s("g", { class: `stone ${side === DARK ? "dark" : "light"}` },
      s("circle", { class: "shadow", cx: x + 0.6, cy: y + 1.8, r: 17.4 }),
      s("circle", { class: "body", cx: x, cy: y, r: 17.2, fill: `url(#stone-${side})` }),
      number
        ? s("text", { class: isLast ? "number last" : "number", x, y }, String(number))
        : isLast && s("circle", { class: "last", cx: x, cy: y, r: 5 }));
  }

  /** Draw what lies over the stones: marks, lines, rows. */
  #drawOver() {
    const { marks = [], forbidden = [], winning = [], chosen = [], hint = null } = this.scene;
    const shown = [
      ...forbidden.map((cell) => this.#cross(cell)),
      ...(this.scene.line?.length ? this.#line() : marks.map((mark) => this.#mark(mark))),
      ...winning.map((cell) => this.#ring(cell, "winning")),
      ...chosen.map((quadrant) => this.#frame(quadrant)),
    ];
    if (hint !== null) shown.push(this.#ring(hint, "hint"));
    this.layers.over.replaceChildren(...shown);
    this.svg.classList.toggle("choosing", Boolean(this.scene.choosing));
  }

  /** @param {Mark} mark */
  #mark(mark) {
    const { x, y } = this.#at(mark.cell);
    const kinds = ["mark", mark.quality, mark.rest && "rest", mark.first && "first"];
    return s("g", { class: kinds.filter(Boolean).join(" ") },
      s("circle", { cx: x, cy: y, r: 12.5 + 5 * mark.size }),
      s("text", { x, y, class: mark.text.length > 2 ? "long" : null }, mark.text));
  }

  /** The stones that would follow, numbered from the next. */
  #line() {
    const { line, position, game } = this.scene;
    const side = toMove(position);
    // Stones that a turn has moved would lie elsewhere.
    const shown = game.kind === "quadrants" ? line.slice(0, 1) : line;
    return shown.map((cell, index) => {
      const { x, y } = this.#at(cell);
      const colour = (index % 2 ? other(side) : side) === DARK ? "dark" : "light";
      return s("g", { class: `stone ghost ${colour}` },
        s("circle", { class: "body", cx: x, cy: y, r: 16 }),
        s("text", { class: "number", x, y }, String(index + 1)));
    });
  }

  #cross(cell) {
    const { x, y } = this.#at(cell);
    return s("path", {
      class: "forbidden", d: `M${x - 7} ${y - 7}l14 14M${x - 7} ${y + 7}l14 -14`,
    });
  }

  #ring(cell, kind) {
    const { x, y } = this.#at(cell);
    return s("circle", { class: kind, cx: x, cy: y, r: kind === "hint" ? 15 : 18.4 });
  }

  #frame(quadrant) {
    const { left, top } = this.#boxOf(quadrant);
    const size = 3 * UNIT;
    return s("rect", { class: "chosen", x: left, y: top, width: size, height: size, rx: 10 });
  }

  #turning(turn) {
    const [first, second] = [Number(turn[0]), turn[1]];
    const options = { duration: TURN_MS, easing: "ease-in-out" };
    const { symmetry = 0 } = this.scene;
    const [group, box] = [this.quadrants[first - 1], this.#boxOf(first)];
    if (/\d/.test(second)) {
      const [partner, there] = [this.quadrants[second - 1], this.#boxOf(Number(second))];
      const by = (x, y) => [{ transform: "none" }, { transform: `translate(${x}px, ${y}px)` }];
      const [x, y] = [there.left - box.left, there.top - box.top];
      group.parentNode.append(group);
      return [group.animate(by(x, y), options), partner.animate(by(-x, -y), options)];
    }
    group.style.transformOrigin = `${box.x}px ${box.y}px`;
    group.parentNode.append(group);
    const clockwise = (second === "R") === symmetry < 4;
    const flip = symmetry % 2 ? "scaleY(-1)" : "scaleX(-1)";
    const done = second === "F" ? flip : `rotate(${clockwise ? 90 : -90}deg)`;
    return [group.animate([{ transform: "none" }, { transform: done }], options)];
  }

  #falling() {
    if (!this.lastStone) return [];
    const { y } = this.#at(this.scene.position.last);
    const start = this.scene.game.kind === "columns" ? `translateY(${-y}px)` : "scale(.86)";
    const origin = this.#at(this.scene.position.last);
    this.lastStone.style.transformOrigin = `${origin.x}px ${origin.y}px`;
    const duration = this.scene.game.kind === "columns" ? DROP_MS : DROP_MS / 2;
    return [this.lastStone.animate([{ transform: start }, { transform: "none" }],
      { duration, easing: "ease-in" })];
  }

  #speak() {
    const { speak = () => "", position, label } = this.scene;
    this.cells.nodes.forEach((node, cell) => {
      node.setAttribute("aria-label", speak(cell));
      node.classList.toggle("taken", position.stones[cell] > 0);
    });
    this.grid.setAttribute("aria-label", label ?? "");
    const cell = this.focused ?? position.last ?? Math.floor(position.stones.length / 2);
    this.cells.nodes.forEach((node, index) => node.setAttribute("tabindex", index === cell ? 0 : -1));
  }

  #onKey(event) {
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-Infinity, 0], End: [Infinity, 0], PageUp: [0, -Infinity], PageDown: [0, Infinity],
    };
    if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) {
      this.#step(...steps[event.key]);
    } else if (["Enter", " "].includes(event.key) && this.focused !== null) {
      this.#tell("choose", this.focused);
    } else if (event.key === "Escape") {
      this.#tell("cancel");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #step(right, down) {
    const { width, height } = this.scene.game;
    const from = this.#at(this.focused ?? 0);
    const column = Math.min(Math.max(from.column + right, 0), width - 1);
    const row = Math.min(Math.max(from.row + down, 0), height - 1);
    this.#moveFocus(this.cells.nodes.findIndex((_, cell) => {
      const at = this.#at(cell);
      return at.column === column && at.row === row;
    }));
  }

  #moveFocus(cell) {
    this.cells.nodes[this.focused ?? cell].setAttribute("tabindex", -1);
    this.cells.nodes[cell].setAttribute("tabindex", 0);
    this.cells.nodes[cell].focus();
  }

  #tell(what, ...values) {
    this.listeners[what]?.(...values);
  }
}

function cellsOf(quadrant) {
  const corner = cornerOf(quadrant);
  return Array.from({ length: 9 }, (_, n) => corner + Math.floor(n / 3) * 6 + (n % 3));
}

const hole = ({ x, y }) => s("circle", { class: "hole", cx: x, cy: y, r: 16 });

/** The points of a grid that are marked: the centre, and others where there is room. */
function stars(size) {
  const inset = size >= 13 ? 3 : size >= 9 ? 2 : 0;
  if (size < 7) return [];
  const along = inset ? [inset, size - 1 - inset] : [];
  const points = along.flatMap((row) => along.map((column) => row * size + column));
  if (size % 2) points.push((size * size - 1) / 2);
  return points;
}

function gradients() {
  const gradient = (side, from, to) =>
    s("radialGradient", { id: `stone-${side}`, cx: "36%", cy: "30%", r: "75%" },
      s("stop", { offset: "0", "stop-color": from }), s("stop", { offset: "1", "stop-color": to }));
  return s("defs", null, gradient(DARK, "#575049", "#1b1815"), gradient(LIGHT, "#ffffff", "#e2dccf"));
}

/** A small board that only shows stones, for lists. */
export function miniature(scene) {
  const host = h("span", { class: "miniature", "aria-hidden": "true" });
  new Board(host).show(scene);
  host.querySelectorAll("[tabindex]").forEach((node) => node.removeAttribute("tabindex"));
  return host;
}
