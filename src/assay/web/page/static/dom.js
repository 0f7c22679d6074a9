/** Elements, marked text and safe links. What a server sends is only ever shown as text. */

/** An element with attributes (null and false leave one out) and children, of which strings become text. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity));
  return node;
}

/** A text in parts, with `mark` around its spans: pairs of start and end, in code points. */
export function marked(text, spans = []) {
  const points = Array.from(text);
  const parts = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push(points.slice(at, start).join(""));
    parts.push(make("mark", { part: "mark" }, points.slice(start, end).join("")));
    at = end;
  }
  parts.push(points.slice(at).join(""));
  return parts;
}

/** An absolute http or https URL as the browser writes it; null for anything else. */
export function safeLink(url) {
  try {
    const parsed = new URL(url);
    return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed.href : null;
  } catch {
    return null;
  }
}

/** `1 page`, `2 pages`. */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
