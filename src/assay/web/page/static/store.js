/** Recent searches and saved results, in this browser only. */

const MOST = { recent: 8, saved: 30 };

export class Store {
  #name;
  #lists = { recent: [], saved: [] };

  /** base: URL of the server; each server has its own lists. */
  constructor(base) {
    this.#name = `assay ${base}`;
    this.#read();
  }

  /** Queries, the newest first. */
  get recent() {
    this.#read();
    return this.#lists.recent;
  }

  /** Results with `url`, `title` and `section`, the newest first. */
  get saved() {
    this.#read();
    return this.#lists.saved;
  }

  isSaved(url) {
    return this.#lists.saved.some((one) => one.url === url);
  }

  addRecent(query) {
    this.#change("recent", (list) => [query, ...list.filter((one) => one !== query)]);
  }

  removeRecent(query) {
    this.#change("recent", (list) => list.filter((one) => one !== query));
  }

  /** Save a result, or remove it if it is saved. */
  toggleSaved({ url, title, section }) {
    const has = this.isSaved(url);
    const others = (list) => list.filter((one) => one.url !== url);
    this.#change("saved", (list) => (has ? others(list) : [{ url, title, section }, ...others(list)]));
  }

  clearRecent() {
    this.#change("recent", () => []);
  }

  #change(name, change) {
    this.#read();
    this.#lists[name] = change(this.#lists[name]).slice(0, MOST[name]);
    try {
      localStorage.setItem(this.#name, JSON.stringify(this.#lists));
    } catch {
      // Without permission or space, the lists last as long as the page.
    }
  }

  #read() {
    try {
      const { recent, saved } = JSON.parse(localStorage.getItem(this.#name)) ?? this.#lists;
      const text = (value) => typeof value === "string";
      this.#lists = {
        recent: recent.filter(text),
        saved: saved.filter((one) => text(one.url) && text(one.title) && text(one.section)),
      };
    } catch {
      // Not readable, or not ours: keep what there is.
    }
  }
}
