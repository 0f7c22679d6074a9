/** Keeps the address of the page equal to the search; Back and Forward restore earlier searches. */

import { NAMES } from "./filters.js";

const PAUSE = 300; // milliseconds after the last key; browsers limit changes of the address

/** The state that the address has. */
export function read() {
  const sent = new URLSearchParams(location.search);
  const state = { query: sent.get("q") ?? "", exact: sent.get("exact") === "1" };
  for (const name of NAMES) state[name] = sent.get(name) ?? "";
  const pages = Number(sent.get("pages"));
  return Number.isInteger(pages) && pages > 0 && pages <= 100 ? { ...state, pages } : state;
}

/** Keep the address of the page and a search box alike. */
export function follow(search) {
  let timer = 0;
  const draft = () => {
    clearTimeout(timer);
    timer = 0;
    write(search.state, true);
  };
  search.addEventListener("assay-state", ({ detail }) => {
    clearTimeout(timer);
    timer = detail.kept ? 0 : setTimeout(draft, PAUSE);
    if (detail.kept) write(search.state, false);
  });
  // The page is being left: the typed text has to be there again after Back.
  search.addEventListener("assay-open", () => timer && draft());
  addEventListener("popstate", () => {
    clearTimeout(timer);
    search.show(read());
    name(search.state);
  });
}

/** While somebody types, one entry of the history is a draft that changes; a decision keeps it. */
function write(state, isDraft) {
  name(state);
  const [address, here] = [addressOf(state), location.pathname + location.search];
  const isOther = address !== here;
  // Another filter for what was typed: the draft is worth coming back to.
  if (history.state?.draft && !isDraft && isOther && read().query === state.query) history.replaceState(null, "", here);
  if (history.state?.draft) history.replaceState({ draft: isDraft }, "", address);
  else if (isOther) history.pushState({ draft: isDraft }, "", address);
}

function addressOf({ query, exact, pages, ...filters }) {
  const sent = new URLSearchParams();
  if (query) sent.set("q", query);
  for (const name of NAMES) if (filters[name]) sent.set(name, filters[name]);
  if (query && exact) sent.set("exact", "1");
  if (query && pages !== 10) sent.set("pages", pages);
  const text = sent.toString();
  return location.pathname + (text && `?${text}`);
}

function name({ query }) {
  document.title = query.trim() ? `${query.trim()} – Search` : "Search";
}
