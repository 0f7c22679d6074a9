/** Choosing a source, a version and a locale. */

import { make } from "./dom.js";

export const NAMES = ["source", "version", "locale"];

const ALL = "*";
const WORDS = {
  source: { label: "Source", none: "All sources" },
  version: { label: "Version", none: "Current version", all: "All versions" },
  locale: { label: "Language", none: "Default language", all: "All languages" },
};

/** The filters of a request. state: source, version and locale: "" for the default, `*` for all, or a list by commas. */
export function filtersOf(state, facets) {
  const filters = {};
  for (const name of NAMES) {
    if (state[name] === ALL) filters.everything = true;
    else if (state[name]) filters[`${name}s`] = state[name].split(",").map((value) => value.trim());
  }
  if (!filters.everything) return filters;
  // `everything` lifts both defaults, so that of the other one is named.
  for (const name of ["version", "locale"]) {
    const defaults = defaultsOf(name, facets, filters.sources);
    if (!state[name] && defaults.length) filters[`${name}s`] = defaults;
  }
  return filters;
}

/** Whether the filters of a request need the facets. */
export const needsFacets = (state) => NAMES.some((name) => state[name] === ALL);

/** The default values of all sources; none if a source has pages without any. */
function defaultsOf(name, facets, sources) {
  const lists = among(facets, sources).map((source) => source[`${name}s`]);
  if (!lists.every((list) => list.length)) return [];
  return [...new Set(lists.flat().filter((facet) => facet.default).map((facet) => facet.name))];
}

function among(facets, sources) {
  const all = facets?.sources ?? [];
  return sources ? all.filter((source) => sources.includes(source.name)) : all;
}

/** The controls. They stay the same elements, so that the one in use keeps the focus. */
export class Filters {
  #controls;

  /** change: called with a name and its new value. */
  constructor(node, change) {
    this.#controls = NAMES.map((name) => {
      const select = make("select", { part: "filter" });
      const label = make("label", { hidden: true }, make("span", {}, WORDS[name].label), select);
      select.addEventListener("change", () => change(name, select.value));
      node.append(label);
      return { name, label, select, shown: "" };
    });
  }

  /** Show the values that there are. fixed: the names that cannot be chosen. */
  update(state, facets, fixed) {
    for (const control of this.#controls) {
      const { name, label, select } = control;
      const values = valuesOf(name, state, facets);
      label.hidden = fixed.has(name) || (values.length < 2 && !state[name]);
      if (control.shown !== values.join("\n")) {
        control.shown = values.join("\n");
        select.replaceChildren(...options(name, values));
      }
      select.value = state[name];
    }
  }
}

function valuesOf(name, state, facets) {
  const sources = among(facets, name === "source" || !state.source ? null : [state.source]);
  const lists = name === "source" ? sources : sources.flatMap((source) => source[`${name}s`]);
  const chosen = state[name] && state[name] !== ALL ? [state[name]] : [];
  return [...new Set([...lists.map((each) => each.name), ...chosen])];
}

function options(name, values) {
  const { none, all } = WORDS[name];
  const pairs = [["", none], ...values.map((value) => [value, value]), ...(all ? [[ALL, all]] : [])];
  return pairs.map(([value, text]) => make("option", { value }, text));
}
