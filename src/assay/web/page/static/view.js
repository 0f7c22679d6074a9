/** The parts of the search box inside its shadow root, and what they say about an answer. */

import { counted, make } from "./dom.js";
import { styles } from "./styles.js";

export class View {
  /** root: the shadow root. inline: whether the results are part of the page instead of a popup over it. */
  constructor(root, inline) {
    root.adoptedStyleSheets = [styles()];
    this.input = make("input", {
      part: "input",
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-controls": "listbox",
      "aria-expanded": "false",
      "aria-label": "Search",
      autocapitalize: "off",
      autocomplete: "off",
      enterkeyhint: "search",
      inputmode: "search",
      maxlength: "2000",
      spellcheck: "false",
    });
    this.keys = make("kbd", { "aria-hidden": "true", part: "keys" });
    this.clear = button("×", "clear", { "aria-label": "Clear", hidden: true });
    this.field = make("div", { class: "field", part: "field" }, this.input, this.keys, this.clear);
    this.filters = make("div", { class: "filters", part: "filters" });
    this.notices = make("div", { class: "notices" });
    this.error = make("div", { class: "error", part: "error", role: "alert" });
    this.fallback = make("slot", { name: "results" });
    this.listbox = make("div", { id: "listbox", role: "listbox", "aria-label": "Results", part: "list", hidden: true });
    this.save = button("Save result", "button", { hidden: true });
    this.forget = button("Forget search", "button", { hidden: true });
    this.forgetAll = button("Forget all searches", "button", { hidden: true });
    this.more = button("More results", "button", { hidden: true });
    this.summary = make("span", { class: "summary", "aria-hidden": "true" });
    const buttons = [this.save, this.forget, this.forgetAll, this.more];
    const footer = make("div", { class: "footer", part: "footer" }, buttons, this.summary);
    this.panel = make(
      "div",
      { class: "panel", part: "panel", popover: inline ? null : "manual" },
      [this.filters, this.notices, this.error, this.listbox, this.fallback, footer],
    );
    this.status = make("div", { class: "unseen", role: "status" });
    root.append(make("div", { class: inline ? "root inline" : "root", role: "search" }, this.field, this.panel, this.status));
  }

  /** Say how many results there are: at once on the screen, and with the notices to screen readers, after a pause. */
  say(text) {
    this.summary.textContent = text;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => {
      const notices = [...this.notices.children].map((one) => one.textContent);
      this.status.textContent = [text, ...notices].join(". ");
    }, 600);
  }

  #saying = 0;

  /**
   * Show the notices of an answer. asTyped: searches the query without corrections. unfiltered: searches
   * without the chosen filters; null if none is chosen.
   */
  describe(answer, asTyped, unfiltered) {
    if (!answer) return;
    const notices = [];
    if (answer.corrections.length) {
      const exact = button(answer.query, "link", {}, asTyped);
      notices.push(notice("Results for ", make("strong", {}, corrected(answer)), ". Search instead for ", exact));
    }
    if (!answer.results.length) {
      const way = unfiltered ? [" ", button("Search without filters", "link", {}, unfiltered)] : [];
      notices.push(notice(`No results for “${answer.query}”.`, way));
    } else if (answer.no_good_answer) {
      notices.push(notice(make("strong", {}, "Probably nothing answers this."), " The closest passages are:"));
    }
    notices.push(...answer.warnings.map((warning) => notice(warning)));
    this.notices.replaceChildren(...notices);
    const [hits, pages] = [answer.results.length, answer.pages.length];
    this.say(hits ? `${counted(hits, "result")} on ${counted(pages, "page")}` : "No results");
  }

  /** Show why there is no answer. again: repeats the search. */
  fail(error, again) {
    const retry = button("Try again", "button", {}, again);
    this.error.replaceChildren(make("p", {}, make("strong", {}, error.message), ` ${error.advice}`), retry);
  }

  /** Remove the notices of the previous answer, and the results that the server wrote into the page. */
  quiet() {
    this.fallback.remove();
    this.say("");
    this.notices.replaceChildren();
    this.error.replaceChildren();
  }
}

function button(text, part, attributes, action) {
  const node = make("button", { type: "button", class: part, part, ...attributes }, text);
  if (action) node.addEventListener("click", action);
  return node;
}

const notice = (...children) => make("p", { part: "notice" }, children);

/** The query as it was searched. */
function corrected({ query, corrections }) {
  const points = Array.from(query);
  for (const { typed, used, start } of [...corrections].reverse()) {
    points.splice(start, Array.from(typed).length, used);
  }
  return points.join("");
}
