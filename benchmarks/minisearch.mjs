// Ranks pages by a MiniSearch index with the settings of VitePress's local search. Reads {sections, queries} as JSON
// from standard input; writes a list of page URLs, best first, for each query.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { default: MiniSearch } = await import(createRequire(process.argv[2] + "/x.js").resolve("minisearch"));
const { sections, queries } = JSON.parse(readFileSync(0, "utf8"));
const index = new MiniSearch({ fields: ["title", "titles", "text"], storeFields: ["url"] });
index.addAll(sections);
const options = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };
const rankings = queries.map((query) => [...new Set(index.search(query, options).map((hit) => hit.url))].slice(0, 5));
process.stdout.write(JSON.stringify(rankings));
