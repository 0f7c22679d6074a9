/** Asking for an API key where the server needs one. It is kept in memory, until the page is left. */

import { make } from "./dom.js";

/** Show a form below a search box when a search is refused for its key. */
export function askForKey(search) {
  const input = make("input", { type: "password", autocomplete: "off", required: true, id: "key" });
  const label = make("label", { for: "key" }, "API key");
  const note = make("p", {}, "It needs the scope search, and is forgotten when you leave this page.");
  const form = make("form", { class: "key", hidden: true }, label, input, make("button", {}, "Search with this key"), note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search.apiKey = input.value.trim();
  });
  search.after(form);
  search.addEventListener("assay-error", ({ detail }) => {
    if (detail.status !== 401 && detail.status !== 403) return;
    form.hidden = false;
  });
  search.addEventListener("assay-answer", () => {
    form.hidden = true;
    input.value = "";
  });
}
