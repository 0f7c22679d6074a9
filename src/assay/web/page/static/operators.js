/** The operators' page: asks for the admin key, and loads a view when it is opened. */

import { Api } from "./api.js";
import { button } from "./controls.js";
import { make } from "./dom.js";

const VIEWS = {
  explain: ["Explain", () => import("./explain.js")],
  label: ["Label", () => import("./labelling.js")],
  queries: ["Queries", () => import("./queries.js")],
  reports: ["Reports", () => import("./reports.js")],
};

const api = new Api(new URL("./", document.baseURI).href);
const main = document.querySelector("main");
const title = make("h1", {}, "Operators");
main.replaceChildren(title, keyForm());
main.querySelector("input").focus();

/** The form for the key. The key is checked, and kept in memory until the page is left. */
function keyForm() {
  const input = make("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const error = make("div", { role: "alert", class: "error" });
  const note = make("p", { class: "muted" }, "A key with the scope admin. It is kept in memory, and forgotten when you leave this page.");
  const label = make("label", { class: "field" }, make("span", {}, "Admin key"), input);
  const form = make("form", { class: "panel" }, make("div", { class: "row" }, label, make("button", { class: "primary" }, "Continue")), note, error);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    api.key = input.value.trim();
    try {
      const { generations } = await api.get("v1/admin/generations");
      open(generations);
    } catch (failure) {
      api.key = "";
      error.replaceChildren(make("p", {}, failure.message));
    }
  });
  return form;
}

function open(generations) {
  const names = Object.keys(VIEWS);
  const links = names.map((name) => make("a", { href: `#${name}` }, VIEWS[name][0]));
  const forget = button("Forget the key", () => location.reload());
  const nav = make("nav", { class: "row", "aria-label": "Views" }, links, forget);
  const opened = new Map();
  const error = make("div", { role: "alert", class: "error" });
  main.replaceChildren(title, nav, error);
  const show = async () => {
    const name = names.includes(location.hash.slice(1)) ? location.hash.slice(1) : names[0];
    links.forEach((link, at) => (names[at] === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current")));
    try {
      if (!opened.has(name)) {
        const { view } = await VIEWS[name][1]();
        if (!opened.has(name)) {
          opened.set(name, view({ api, generations }));
          main.append(opened.get(name));
        }
      }
      for (const [each, node] of opened) node.hidden = each !== name;
    } catch {
      error.replaceChildren(make("p", {}, "This view cannot be loaded. Reload the page."));
    }
  };
  addEventListener("hashchange", show);
  show();
}
