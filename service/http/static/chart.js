/** Small charts, drawn as SVG: bars that stand on each other, lines and steps. */

import { number, s } from "./dom.js";

const [WIDTH, HEIGHT] = [420, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 10, 26];
const TICKS = 4;

/**
 * @typedef {object} Chart
 * @property {string} label what a screen reader says of it
 * @property {[number, number]} [range] of the values; from 0 to the largest if not given
 * @property {(value: number) => string} [format] of the values
 */

/**
 * Bars, each of parts from the bottom to the top.
 *
 * @param {{name: string, parts: number[]}[]} bars
 * @param {Chart & {kinds: string[]}} chart the class of each part
 */
export function barChart(bars, { label, kinds, format = number }) {
  const largest = Math.max(1, ...bars.map(({ parts }) => parts.reduce((a, b) => a + b, 0)));
  const top = niceTop(largest);
  const scale = (value) => (value / top) * (HEIGHT - TOP - BOTTOM);
  const step = (WIDTH - LEFT - RIGHT) / bars.length;
  const every = Math.ceil(bars.length / 12);
  const drawn = bars.flatMap(({ name, parts }, index) => {
    let y = HEIGHT - BOTTOM;
    const rects = parts.map((part, kind) => s("rect", {
      class: kinds[kind], x: LEFT + index * step + step * 0.1, y: (y -= scale(part)),
      width: step * 0.8, height: scale(part),
    }));
    const middle = LEFT + (index + 0.5) * step;
    return [...rects, index % every === 0 && s("text", { x: middle, y: HEIGHT - 9 }, name)];
  });
  return frame(label, [0, top], format, drawn.filter(Boolean));
}

/**
 * A line through points.
 *
 * @param {{x: number, y: number}[]} points ascending in x
 * @param {Chart & {stepped?: boolean, marked?: number, names?: (x: number) => string}} chart
 *   `marked`: the index of a point that is drawn larger
 */
export function lineChart(points, { label, range, format = number, stepped, marked, names = String }) {
  const [least, most] = range ?? [0, niceTop(Math.max(1e-9, ...points.map(({ y }) => y)))];
  const [first, last] = [points[0].x, Math.max(points.at(-1).x, points[0].x + 1)];
  const x = (value) => LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((value - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const path = points.map((point, index) => {
    const [across, up] = [x(point.x).toFixed(1), y(point.y).toFixed(1)];
    if (!index) return `M${across} ${up}`;
    return stepped ? `H${across}V${up}` : `L${across} ${up}`;
  }).join("");
  const dots = points.length > 60 ? [] : points.map((point, index) => s("circle", {
    class: index === marked ? "dot-marked" : "dot-small", cx: x(point.x), cy: y(point.y),
    r: index === marked ? 5 : 2.6,
  }));
  const ends = [...new Set([first, last])].map((value) => s("text", {
    x: x(value), y: HEIGHT - 9, class: value === first ? "start" : "end",
  }, names(value)));
  return frame(label, [least, most], format, [s("path", { class: "curve", d: path }), ...dots, ...ends]);
}

function frame(label, [least, most], format, children) {
  const lines = Array.from({ length: TICKS + 1 }, (_, index) => {
    const y = HEIGHT - BOTTOM - (index / TICKS) * (HEIGHT - TOP - BOTTOM);
    const value = least + (index / TICKS) * (most - least);
    return [
      s("path", { class: "rule", d: `M${LEFT} ${y}H${WIDTH - RIGHT}` }),
      s("text", { class: "end", x: LEFT - 6, y: y + 4 }, format(value)),
    ];
  });
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    lines, children);
}

/** A round number that is no less than `value` and can be divided by the ticks. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 8, 10, 20].map((each) => each * power).find((each) => each >= value);
}
