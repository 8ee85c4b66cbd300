/** Elements made in one expression, and the page's texts. */

import { texts } from "./texts.en.js";

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  return node;
}

/** An HTML element; attributes called on… are listeners. */
export const h = (name, attributes, ...children) =>
  filled(document.createElement(name), attributes, children);

/** An SVG element. */
export const s = (name, attributes, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

export const find = (selector, within = document) => within.querySelector(selector);

const plurals = new Intl.PluralRules(document.documentElement.lang);
const numbers = new Intl.NumberFormat(document.documentElement.lang);
const compact = new Intl.NumberFormat(document.documentElement.lang, {
  notation: "compact",
  maximumFractionDigits: 1,
});

export const number = (value) => numbers.format(value);

/** A part of one, in whole per cent. */
export const percent = (part) => `${Math.round(100 * part)}\u00a0%`;

/** Large numbers as people read them: 120K, 3.4M, 17.4B. */
export const rough = (value) => (value < 10_000 ? number(value) : compact.format(value));

/**
 * The text called `key`, with its {names} filled from `values`. Where `values` has an `n`, the
 * text is the one for that many, `key.one` or `key.other`, if there are such.
 */
export function t(key, values = {}) {
  const form = `${key}.${plurals.select(values.n ?? 0)}`;
  const text = texts["n" in values && form in texts ? form : key];
  if (text === undefined) return texts[`${key}.other`] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Give every element in the document that names a text its text. */
export function translate(root = document) {
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of root.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
    node.setAttribute("title", t(node.dataset.label));
  }
}

/** Have a screen reader say `text`. */
export function say(text) {
  find("#spoken").textContent = text;
}

/** Show what went wrong, in words; nothing takes it away. */
export function complain(text) {
  const place = find("#problem");
  place.hidden = !text;
  place.textContent = text ?? "";
}

export const prefersStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
