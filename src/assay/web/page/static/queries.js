/** The log of queries, and topics for the test set from it. */

import { button, check, choice, field, number, table } from "./controls.js";
import { counted, make } from "./dom.js";

const KINDS = [
  ["top", "Most frequent"],
  ["no-results", "Without a good answer"],
  ["no-clicks", "With answers that nobody opens"],
];
const DAYS = [
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["", "All that are kept"],
];

const percent = (part, whole) => (whole ? `${Math.round((100 * part) / whole)}%` : "–");

/** The view. api: of the server. */
export function view({ api }) {
  const error = make("div", { role: "alert", class: "error" });
  const list = make("div", {});
  const said = make("p", { role: "status", class: "said" });
  const kind = choice(KINDS);
  const days = choice(DAYS);
  let boxes = [];

  const attempt = async (action) => {
    error.replaceChildren();
    try {
      await action();
    } catch (failure) {
      error.replaceChildren(make("p", {}, failure.message));
    }
  };
  const load = () =>
    attempt(async () => {
      const parameters = new URLSearchParams({ kind: kind.value, limit: "100", ...(days.value ? { days: days.value } : {}) });
      show(await api.get(`v1/admin/queries?${parameters}`));
    });
  const add = () =>
    attempt(async () => {
      const queries = boxes.filter(({ box }) => box.checked).map(({ text }) => text);
      if (!queries.length) {
        said.textContent = "Choose queries first.";
        return;
      }
      const { topics, known } = await api.post("v1/admin/queries/topics", { queries });
      said.replaceChildren(
        `${counted(topics.length, "topic")} added to the test set; it had ${known} of the queries already. `,
        make("a", { href: "#label" }, "Label their hits"),
      );
      for (const { box } of boxes) box.checked = false;
    });

  function show({ logged, totals, queries, listed }) {
    boxes = [];
    const rows = listed.map((one) => {
      const { box, node } = check("", { "aria-label": one.text });
      boxes.push({ box, text: one.text });
      const clicked = percent(one.clicked, one.with_clicks_reported);
      return [node, one.text, String(one.searches), String(one.unanswered), clicked, number(one.mean_position, 1)];
    });
    const [unanswered, clicked] = [percent(totals.unanswered, totals.searches), percent(totals.clicked, totals.with_clicks_reported)];
    const figures = `Searches: ${totals.searches}, of ${counted(queries, "text")}. Without a good answer: ${unanswered}. With a click, where clicks are reported: ${clicked}.`;
    list.replaceChildren(
      logged ? "" : make("p", { class: "notice" }, "Queries are not logged: set [queries] log = true, and restart the server."),
      make("p", {}, figures),
      rows.length ? table("Logged queries", ["Add", "Query", "#Searches", "#No answer", "#Clicked", "#Rank"], rows) : make("p", {}, "There are none."),
      rows.length ? button("Add to the test set", add) : "",
    );
  }

  for (const control of [kind, days]) control.addEventListener("change", load);
  load();
  const title = make("h2", { id: "queries-title" }, "Queries");
  const controls = make("div", { class: "row" }, field("Which", kind), field("Time", days), button("Refresh", load));
  return make("section", { "aria-labelledby": "queries-title" }, title, controls, error, list, said);
}
