/** `<assay-search>`: a search box for documentation, on Assay's own page and on any other. */

import { Client } from "./client.js";
import { Combobox } from "./combobox.js";
import { Filters, NAMES, filtersOf, needsFacets } from "./filters.js";
import { listen } from "./hotkey.js";
import { Popup } from "./popup.js";
import { answerGroups, keptGroups, meant } from "./results.js";
import { Store } from "./store.js";
import { View } from "./view.js";

const BASE = new URL("../../", import.meta.url).href;
const PAUSE = 30; // milliseconds after a key before a search begins
const SLOW = 300; // milliseconds after which a search looks busy
const PAGES = 10;
const MOST_PAGES = 100;
const NOTHING = { query: "", source: "", version: "", locale: "", exact: false, pages: PAGES };
const UNFILTERED = Object.fromEntries(NAMES.map((name) => [name, ""]));

/**
 * Attributes: api-key, source, version, locale, placeholder, hotkey; inline shows the results in the page instead of
 * over it. Events: assay-state (the query or a filter changed; detail.kept: by a decision, not by typing),
 * assay-answer, assay-error, and assay-open (cancelable) before a result is opened.
 */
export class AssaySearch extends HTMLElement {
  static observedAttributes = ["api-key", "placeholder", ...NAMES];

  #client = new Client(BASE);
  #store = new Store(BASE);
  #state = { ...NOTHING };
  #facets = null;
  #loading = null;
  #answer = null;
  #timer = 0;
  #turn = 0;
  #ends = [];
  #view;
  #box;
  #popup;
  #filters;

  connectedCallback() {
    if (!this.#view) this.#build();
    const { input, keys } = this.#view;
    const hotkey = this.getAttribute("hotkey") ?? "/ ctrl+k";
    if (hotkey !== "off") {
      keys.textContent = hotkey.split(" ")[0].toUpperCase();
      input.setAttribute("aria-keyshortcuts", hotkey.replace(/ctrl/g, "Control"));
      this.#ends.push(listen(hotkey, () => this.focus()));
    }
    const outside = (event) => event.composedPath().includes(this) || this.#close();
    document.addEventListener("pointerdown", outside);
    this.#ends.push(() => document.removeEventListener("pointerdown", outside));
    this.#show();
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
    this.#client.cancel();
    this.#popup.close();
  }

  attributeChangedCallback(name, _, value) {
    if (name === "api-key") this.apiKey = value ?? "";
    else if (name === "placeholder") this.#view?.input.setAttribute("placeholder", value ?? "Search");
    else this.#change({ [name]: value ?? "" }, false);
  }

  /** A key with the scope `search`, kept in memory. */
  set apiKey(key) {
    this.#client.key = key;
    this.#loading = null;
    if (this.#view) this.#search();
  }

  /** The query, the filters, whether it is searched without corrections, and the number of pages. */
  get state() {
    return { ...this.#state };
  }

  /** Show another state, without an event. */
  show(state) {
    this.#state = { ...NOTHING, ...state, ...this.#fixed };
    this.#view.input.value = this.#state.query;
    this.#search();
  }

  focus() {
    this.#view.input.focus();
    this.#view.input.select();
  }

  get #inline() {
    return this.hasAttribute("inline");
  }

  /** The filters that attributes set. */
  get #fixed() {
    const names = NAMES.filter((name) => this.hasAttribute(name));
    return Object.fromEntries(names.map((name) => [name, this.getAttribute(name)]));
  }

  #build() {
    const plain = this.querySelector("input[name=q]"); // what was typed before this code was loaded
    const hadFocus = plain && document.activeElement === plain;
    plain?.form.remove();
    this.#view = new View(this.attachShadow({ mode: "open" }), this.#inline);
    const { input, clear, field, panel, listbox, filters, save, forget, forgetAll, more } = this.#view;
    this.#popup = new Popup(field, panel);
    this.#filters = new Filters(filters, (name, value) => this.#change({ [name]: value, pages: PAGES }));
    this.#box = new Combobox(input, listbox, {
      choose: (option, event) => this.#choose(option, event),
      submit: () => this.#change({}),
      dismiss: () => this.#dismiss(),
      close: () => this.#close(),
      open: () => this.#open(),
      move: () => this.#showButtons(),
    });
    input.setAttribute("placeholder", this.getAttribute("placeholder") ?? "Search");
    input.addEventListener("input", () => this.#typed());
    for (const type of ["focus", "click"]) input.addEventListener(type, () => this.#open());
    clear.addEventListener("click", () => this.#empty());
    save.addEventListener("click", () => this.#use("save", meant.get(this.#box.active)));
    forget.addEventListener("click", () => this.#use("forget", meant.get(this.#box.active)));
    forgetAll.addEventListener("click", () => this.#use("forget-all"));
    more.addEventListener("click", () => this.#change({ pages: Math.min(this.#state.pages + PAGES, MOST_PAGES) }));
    this.addEventListener("focusout", (event) => event.relatedTarget && this.#close());
    Object.assign(this.#state, { query: plain?.value ?? "" }, this.#fixed);
    input.value = this.#state.query;
    if (hadFocus) input.focus();
  }

  // --- what people do ---

  #typed() {
    this.#state = { ...this.#state, query: this.#view.input.value, exact: false, pages: PAGES };
    this.#box.active = null; // of another query
    if (this.#inline) this.#view.field.scrollIntoView({ block: "nearest" });
    this.#emit("assay-state", { kept: false });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(true), PAUSE);
  }

  /** Change the state, and search. kept: whether this was a decision, which the history keeps. */
  #change(changes, kept = true) {
    this.#state = { ...this.#state, ...changes };
    if (!this.#view) return;
    this.#view.input.value = this.#state.query;
    if (kept) this.#remember();
    this.#emit("assay-state", { kept });
    this.#search();
  }

  #remember() {
    const query = this.#state.query.trim();
    if (query) this.#store.addRecent(query);
  }

  #empty() {
    this.#view.input.value = "";
    this.#typed();
    this.#view.input.focus();
  }

  #choose(option, event) {
    const meaning = meant.get(option);
    const tool = event.target.closest(".tool")?.dataset.tool;
    const isNewTab = event.ctrlKey || event.metaKey || event.button === 1;
    if (tool) {
      event.preventDefault();
      this.#use(tool, meaning);
    } else if (meaning.query !== undefined) {
      this.#change({ query: meaning.query, exact: false, pages: PAGES });
    } else if (event.type === "keydown" && !isNewTab) {
      option.click();
    } else {
      this.#remember();
      if (option.href) this.#report(meaning);
      const isOpened = option.href && this.#emit("assay-open", meaning);
      if (!isOpened) event.preventDefault();
      else if (event.type === "keydown") open(option.href, "_blank", "noopener,noreferrer");
      if (!isNewTab && !event.shiftKey) this.#close();
    }
  }

  /** Report an opened result, if the server logs queries. */
  #report({ chunk }) {
    const { query_id: query } = this.#answer ?? {};
    if (query && chunk) this.#client.clicked(query, chunk);
  }

  /** Save a result or take it back, or forget one or all searches. */
  #use(tool, meaning) {
    if (tool === "save") this.#store.toggleSaved(meaning);
    else if (tool === "forget") this.#store.removeRecent(meaning.query);
    else this.#store.clearRecent();
    this.#show();
    if (this.#view.save.hidden) this.#view.input.focus({ preventScroll: true });
  }

  // --- the popup ---

  #open() {
    this.#loadFacets();
    if (this.#inline || this.#popup.isOpen) return true;
    if (this.#state.query.trim() && this.#answer?.query !== this.#state.query) this.#search();
    else this.#show(true);
    return true;
  }

  #close() {
    clearTimeout(this.#timer);
    if (this.#inline || !this.#popup.isOpen) return false;
    this.#client.cancel();
    this.#popup.close();
    this.#box.expanded = false;
    return true;
  }

  /** Escape: leave the option, close the popup, empty the input; the first of these that changes anything. */
  #dismiss() {
    if (this.#inline && this.#box.active) {
      this.#box.active = null;
      return true;
    }
    if (this.#close()) return true;
    if (!this.#view.input.value) return false;
    this.#empty();
    return true;
  }

  // --- searching ---

  async #search(typing = false) {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    const { query, exact, pages } = this.#state;
    this.#client.cancel();
    if (!query.trim()) return this.#answered(null);
    const facets = this.#loadFacets();
    if (needsFacets(this.#state)) await facets;
    if (turn !== this.#turn) return;
    const slow = setTimeout(() => this.#view.listbox.setAttribute("aria-busy", "true"), SLOW);
    try {
      const filters = filtersOf(this.#state, this.#facets);
      const body = { query, typing, filters, top_k: pages, group_by: "page", clicks: true, include: { content: false } };
      if (exact) body.correct = false;
      const answer = await this.#client.search(body);
      if (answer) this.#answered(answer);
    } catch (error) {
      this.#failed(error);
    } finally {
      clearTimeout(slow);
      this.#view.listbox.removeAttribute("aria-busy");
    }
  }

  #answered(answer) {
    this.#answer = answer;
    this.#view.quiet();
    const isFiltered = NAMES.some((name) => this.#state[name] && !this.hasAttribute(name));
    const unfiltered = isFiltered ? () => this.#change({ ...UNFILTERED, ...this.#fixed }) : null;
    this.#view.describe(answer, () => this.#change({ exact: true }), unfiltered);
    this.#show(true);
    if (answer) this.#emit("assay-answer", answer);
  }

  #failed(error) {
    this.#answer = null;
    this.#view.quiet();
    this.#view.fail(error, () => this.#search());
    this.#show(true);
    this.#emit("assay-error", error);
  }

  /** Ask once for the sources, versions and locales; without them there are no filters. */
  #loadFacets() {
    this.#loading ??= this.#client.facets().then(
      (facets) => {
        this.#facets = facets;
        this.#showFilters();
      },
      () => {},
    );
    return this.#loading;
  }

  // --- what is shown ---

  /** Show the answer, or what was kept. opens: also open the popup, if the focus is here and there is anything. */
  #show(opens = false) {
    const hasQuery = Boolean(this.#state.query.trim());
    const kept = hasQuery ? [] : keptGroups(this.#store);
    const groups = this.#answer ? answerGroups(this.#answer, (url) => this.#store.isSaved(url)) : kept;
    const active = this.#box.active?.href;
    const { listbox, clear, keys, input } = this.#view;
    listbox.replaceChildren(...groups);
    listbox.setAttribute("aria-label", hasQuery ? "Results" : "Saved and recent");
    clear.hidden = !input.value;
    keys.hidden = Boolean(input.value);
    if (!hasQuery && !groups.length) this.#close();
    else if (opens && !this.#inline && this.shadowRoot.activeElement) this.#popup.open();
    this.#box.expanded = groups.length > 0 && (this.#inline || this.#popup.isOpen);
    this.#box.active = (active && this.#box.options.find((option) => option.href === active)) || null;
    this.#showFilters();
  }

  #showFilters() {
    this.#filters.update(this.#state, this.#facets, new Set(Object.keys(this.#fixed)));
  }

  /** The buttons below the list: for the active option, and for the list as a whole. */
  #showButtons() {
    const { save, forget, forgetAll, more } = this.#view;
    const { url, query } = meant.get(this.#box.active) ?? {};
    save.hidden = !url;
    save.textContent = url && this.#store.isSaved(url) ? "Remove from saved" : "Save result";
    forget.hidden = query === undefined;
    forgetAll.hidden = Boolean(this.#state.query.trim()) || !this.#store.recent.length;
    more.hidden = !(this.#answer?.pages.length >= this.#state.pages) || this.#state.pages >= MOST_PAGES;
  }

  #emit(type, detail) {
    const options = { detail, bubbles: true, composed: true, cancelable: type === "assay-open" };
    return this.dispatchEvent(new CustomEvent(type, options));
  }
}

if (!customElements.get("assay-search")) customElements.define("assay-search", AssaySearch);
