/** A search as a command and as a program. Both read the key from the environment; neither has it. */

import { button } from "./controls.js";
import { make } from "./dom.js";

const KEY = "ASSAY_API_KEY";

/** The route and the body: a search, or an explanation if another generation is named. */
function requestOf({ search, generation }) {
  return generation ? ["v1/admin/explain", { search, generation }] : ["v1/search", search];
}

/** A command for a POSIX shell. base: URL of the server, with a slash at its end. */
export function asCurl(base, asked) {
  const [path, body] = requestOf(asked);
  return (
    `curl ${quoted(base + path)} -H "Authorization: Bearer $${KEY}" \\\n` +
    `  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}\n`
  );
}

/** A program for Python. */
export function asPython(base, asked) {
  const { search, generation } = asked;
  if (!generation) {
    const { query, top_k: topK, ...options } = search;
    const named = Object.entries(options).map(([name, value]) => `, ${name}=${literal(value)}`);
    return (
      "import os\n\nimport assay\n\n" +
      `client = assay.connect(${JSON.stringify(base)}, os.environ["${KEY}"])\n` +
      `ranking = client.search(${JSON.stringify(query)}, ${topK}${named.join("")})\n` +
      "for hit in ranking.hits:\n    print(hit.rank, hit.rank_score, hit.title, hit.url)\n"
    );
  }
  const [path, body] = requestOf(asked);
  return (
    "import json\nimport os\nfrom urllib.request import Request, urlopen\n\n" +
    `body = ${JSON.stringify(JSON.stringify(body))}\n` +
    `headers = {"Authorization": f"Bearer {os.environ['${KEY}']}", "Content-Type": "application/json"}\n` +
    `with urlopen(Request(${JSON.stringify(base + path)}, body.encode(), headers)) as answer:\n` +
    "    print(json.dumps(json.load(answer), indent=2))\n"
  );
}

/** A text or a truth value for Python. */
const literal = (value) => (typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value));

/** A text for a POSIX shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A button that copies a text. Where the browser does not allow that, the text is shown, to be copied by hand. */
export function copyButton(name, text) {
  const shown = make("textarea", { readonly: true, rows: "6", "aria-label": name, hidden: true, spellcheck: "false" });
  shown.value = text;
  const said = make("span", { role: "status", class: "muted" });
  const copy = button(name, async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied.";
    } catch {
      shown.hidden = false;
      shown.select();
      said.textContent = "Copy this text:";
    }
  });
  return make("span", { class: "copy" }, copy, said, shown);
}
