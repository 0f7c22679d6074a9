/** The options of the listbox: the results of an answer by page, or what was kept in this browser. */

import { make, marked, safeLink } from "./dom.js";

/** Groups of options for an answer. saved: whether a URL is saved. */
export function answerGroups(answer, saved) {
  const byRank = new Map(answer.results.map((hit) => [hit.rank, hit]));
  let number = 0;
  return answer.pages.map((page, index) => {
    const hits = page.ranks.map((rank) => byRank.get(rank));
    const options = hits.map((hit) => hitOption(hit, (number += 1), saved));
    return group(`page-${index}`, [make("span", { part: "page-title" }, page.title || page.url), place(page, hits[0])], options);
  });
}

/** Groups of options for an empty query: saved results and recent searches. */
export function keptGroups({ saved, recent }) {
  const groups = [];
  if (saved.length) groups.push(group("saved", ["Saved"], saved.map(savedOption)));
  if (recent.length) groups.push(group("recent", ["Recent searches"], recent.map(recentOption)));
  return groups;
}

/** The target of an option: a result with `url`, `title` and `section`, or a `query`. */
export const meant = new WeakMap();

function group(id, title, options) {
  const heading = make("div", { id, class: "title", role: "presentation", part: "group-title" }, title);
  return make("div", { role: "group", "aria-labelledby": id, part: "group" }, heading, options);
}

/** Where a page is: its host and path, and its version and locale. */
function place(page, hit) {
  const url = safeLink(page.url);
  const { host = "", pathname = "" } = url ? new URL(url) : {};
  const path = pathname.split("/").filter(Boolean).map(readable);
  const parts = [[host, ...path].join(" › "), hit.version, hit.locale].filter(Boolean);
  return make("span", { class: "place", part: "place" }, parts.join(" · "));
}

function readable(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function hitOption(hit, number, saved) {
  const { url: page, section_url: url, snippet, snippet_highlights: spans } = hit;
  const title = hit.title || page;
  const section = hit.heading_path.join(" › ") || title;
  return option(
    `hit-${number}`,
    linkOf(hit),
    { url, title, section, chunk: hit.chunk_id },
    make("span", { class: "heading", part: "heading" }, section),
    make("span", { class: "snippet", part: "snippet" }, marked(snippet, spans), isWhole(snippet) ? "" : " …"),
    tool("save", saved(url) ? "★" : "☆"),
  );
}

/** Whether a text ends as a sentence does. */
const isWhole = (text) => /[.!?:。！？]\W*$/u.test(text);

function savedOption(result, index) {
  return option(
    `saved-${index}`,
    safeLink(result.url),
    result,
    make("span", { class: "heading", part: "heading" }, result.section),
    result.title === result.section ? [] : make("span", { class: "snippet", part: "snippet" }, result.title),
    tool("save", "×"),
  );
}

function recentOption(query, index) {
  return option(`recent-${index}`, null, { query }, make("span", { class: "heading" }, query), tool("forget", "×"));
}

/** A link where there is a safe one, so that the browser's own ways to open it work. */
function option(id, href, meaning, ...children) {
  const attributes = { id, role: "option", "aria-selected": "false", part: "option", class: "option" };
  const node = make(href ? "a" : "div", href ? { ...attributes, href, tabindex: "-1" } : attributes, children);
  meant.set(node, meaning);
  return node;
}

/** A button for the pointer alone: the buttons below the list do the same for the keyboard and screen readers. */
const tool = (name, text) => make("span", { class: "tool", "data-tool": name, "aria-hidden": "true" }, text);

/** The link of a hit, which scrolls to its words where the browser knows text fragments. */
function linkOf({ section_url: url, text_fragment: fragment }) {
  if (!url || !fragment || !("fragmentDirective" in document)) return safeLink(url);
  return safeLink(url + (url.includes("#") ? "" : "#") + fragment);
}
