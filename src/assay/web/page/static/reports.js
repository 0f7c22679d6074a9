/** The reports of validations and sweeps. */

import { button, pill } from "./controls.js";
import { make } from "./dom.js";

/** The view. api: of the server. */
export function view({ api }) {
  const error = make("div", { role: "alert", class: "error" });
  const list = make("div", {});
  const load = async () => {
    error.replaceChildren();
    try {
      const { reports } = await api.get("v1/admin/reports");
      list.replaceChildren(reports.length ? listed(reports) : make("p", {}, "There are no reports yet: assay validate writes them."));
    } catch (failure) {
      error.replaceChildren(make("p", {}, failure.message));
    }
  };

  function listed(reports) {
    const items = reports.map(({ name, kind, at, title, outcome }) =>
      make(
        "li",
        { class: "report" },
        make("p", {}, outcome ? pill(outcome) : "", " ", outcome ? title.slice(outcome.length + 2) : title),
        make("p", { class: "muted" }, kind === "sweep" ? "Sweep" : "Validation", ", ", new Date(at).toLocaleString()),
        opener(name),
      ),
    );
    return make("ol", { class: "reports", role: "list" }, items);
  }

  /** A button that makes a link to a report, and follows it. The link stays, because it can be opened again. */
  function opener(name) {
    const cell = make("span", {});
    const open = button("Open", async () => {
      error.replaceChildren();
      try {
        const { path } = await api.post("v1/admin/reports/link", { report: name });
        const href = new URL(path.replace(/^\//, ""), api.base).href;
        const link = make("a", { href, target: "_blank", rel: "noopener" }, "Open again");
        cell.replaceChildren(link);
        link.click();
      } catch (failure) {
        error.replaceChildren(make("p", {}, failure.message));
      }
    }, { "aria-label": `Open ${name}` });
    cell.append(open);
    return cell;
  }

  load();
  const title = make("h2", { id: "reports-title" }, "Reports");
  return make("section", { "aria-labelledby": "reports-title" }, title, button("Refresh", load), error, list);
}
