/** Labelled controls, tables and figures of the operators' page. */

import { make } from "./dom.js";

/** A control with its label above it. */
export function field(label, control) {
  return make("label", { class: "field" }, make("span", {}, label), control);
}

/** A check box with its label beside it. */
export function check(label, attributes = {}) {
  const box = make("input", { type: "checkbox", ...attributes });
  return { box, node: make("label", { class: "check" }, box, label) };
}

/** A drop-down list. options: pairs of value and text. */
export function choice(options, attributes = {}) {
  return make("select", attributes, options.map(([value, text]) => make("option", { value }, text)));
}

export function button(text, action, attributes = {}) {
  const node = make("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

/** A verdict as a coloured word. */
export const pill = (outcome) => make("span", { class: `pill ${outcome.toLowerCase()}` }, outcome);

/** A table. head: names of the columns; a name with a leading `#` is of numbers. rows: lists of cells. */
export function table(caption, head, rows) {
  const numeric = head.map((name) => name.startsWith("#"));
  const names = head.map((name, at) =>
    make("th", { scope: "col", class: numeric[at] ? "number" : null }, name.replace(/^#/, "")),
  );
  const body = rows.map((cells) =>
    make("tr", {}, cells.map((cell, at) => make("td", { class: numeric[at] ? "number" : null }, cell))),
  );
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, names)), make("tbody", {}, body)),
  );
}

/** Bars next to each other, each a share of the whole, from 0 to 1. shares: pairs of share and class. */
export function bar(shares) {
  const node = make("div", { class: "bar", "aria-hidden": "true" });
  for (const [share, kind] of shares) {
    const part = make("span", { class: kind });
    part.style.inlineSize = `${Math.max(0, Math.min(share, 1)) * 100}%`;
    node.append(part);
  }
  return node;
}

/** A number with a fixed count of digits; a dash for none. */
export const number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));

/** Names with their values. */
export function facts(pairs) {
  return make("dl", { class: "facts" }, pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

/** Options for the generations of a server. first: pair of value and text for the default. */
export function generationOptions(generations, first) {
  const sealed = generations.filter(({ state }) => ["candidate", "live", "retired", "rejected"].includes(state));
  return [first, ...sealed.map(({ id, state }) => [id, `${id} (${state})`])];
}

export const MODES = [
  ["", "Default mode"],
  ["hybrid", "hybrid"],
  ["dense", "dense"],
  ["sparse", "sparse"],
];
