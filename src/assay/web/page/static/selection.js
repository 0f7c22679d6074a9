/** The text of a page, on which a passage is selected for a label. */

import { make } from "./dom.js";

/** A selection on a page's text. */
export class PageText {
  #generation = "";
  #url = "";
  #text = "";

  /** api: of the server. changed: called with whether there is a selection. */
  constructor(api, changed) {
    this.api = api;
    this.pre = make("pre", { class: "page-text", tabindex: "0", role: "region", "aria-label": "Text of the page" });
    this.node = make("div", { hidden: true }, this.pre);
    document.addEventListener("selectionchange", () => changed(this.isOpen && this.span() !== null));
  }

  get isOpen() {
    return !this.node.hidden;
  }

  /** Show the text of a page. marked: a passage to scroll to. Raises ApiError. */
  async open(generation, url, marked) {
    const { text } = await this.api.post("v1/admin/labels/page", { generation, url });
    [this.#generation, this.#url, this.#text] = [generation, url, text];
    const start = text.indexOf(marked);
    const parts = start < 0 ? [text] : [text.slice(0, start), make("mark", {}, marked), text.slice(start + marked.length)];
    this.pre.replaceChildren(...parts);
    this.node.hidden = false;
    this.pre.querySelector("mark")?.scrollIntoView({ block: "center" });
    this.pre.focus({ preventScroll: true });
  }

  close() {
    this.node.hidden = true;
    this.pre.replaceChildren();
  }

  /** Start and exclusive end of the selection in the text, in UTF-16 units; null without one. */
  span() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.pre.contains(range.startContainer) || !this.pre.contains(range.endContainer)) return null;
    const before = document.createRange();
    before.selectNodeContents(this.pre);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    const end = start + range.toString().length;
    return this.#text.slice(start, end).trim() ? { start, end } : null;
  }

  /** The judgment that a label of the selection makes. Raises ApiError. */
  async judgment() {
    const { start, end } = this.span();
    const points = (units) => Array.from(this.#text.slice(0, units)).length; // the server counts code points
    const asked = { generation: this.#generation, url: this.#url, start: points(start), end: points(end) };
    return (await this.api.post("v1/admin/labels/selection", asked)).judgment;
  }
}
