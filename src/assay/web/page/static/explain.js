/** The scores behind a ranking, of one system or of two next to each other. */

import { bar, check, choice, facts, field, generationOptions, MODES, number, table } from "./controls.js";
import { counted, make, marked, safeLink } from "./dom.js";
import { asCurl, asPython, copyButton } from "./snippets.js";

const SHOWN = 400; // code points of a passage

/** The view. api: of the server. generations: as GET /v1/admin/generations lists them. */
export function view({ api, generations }) {
  const query = make("input", { type: "search", required: true, maxlength: "2000", autocomplete: "off" });
  const topK = make("input", { type: "number", min: "1", max: "100", value: "10", required: true });
  const correct = check("Correct misspelt words", { checked: true });
  const first = systemFields(generations);
  const second = systemFields(generations);
  const compare = check("Compare with");
  const error = make("div", { role: "alert", class: "error" });
  const results = make("div", { class: "columns" });
  const status = make("p", { role: "status", class: "muted" });
  const rest = make("fieldset", { class: "row", disabled: true }, make("legend", { class: "unseen" }, "Compared system"), second.fields);
  compare.box.addEventListener("change", () => (rest.disabled = !compare.box.checked));
  const form = make(
    "form",
    { class: "panel" },
    make("div", { class: "row" }, field("Query", query), field("Hits", topK), correct.node),
    make("div", { class: "row" }, first.fields),
    make("div", { class: "row" }, compare.node, rest),
    make("button", { class: "primary" }, "Explain"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    error.replaceChildren();
    status.textContent = "Searching …";
    const search = { query: query.value, top_k: Number(topK.value), ...(correct.box.checked ? {} : { correct: false }) };
    const systems = compare.box.checked ? [first, second] : [first];
    const asked = systems.map((system) => system.request(search));
    try {
      const answers = [];
      for (const request of asked) answers.push(await api.post("v1/admin/explain", request)); // so that times do not mix
      results.replaceChildren(...answers.map((answer, at) => column(api.base, asked[at], answer, answers[1 - at])));
      status.textContent = answers.map(({ ranking }) => counted(ranking.results.length, "hit")).join(" and ");
    } catch (failure) {
      status.textContent = "";
      error.replaceChildren(make("p", {}, failure.message));
    }
  });
  return make("section", { "aria-labelledby": "explain-title" }, make("h2", { id: "explain-title" }, "The scores behind a ranking"), form, error, status, results);
}

/** Controls for a mode and a generation. */
function systemFields(generations) {
  const mode = choice(MODES);
  const generation = choice(generationOptions(generations, ["", "Served generation"]));
  const request = (search) => ({
    search: mode.value ? { ...search, mode: mode.value } : search,
    ...(generation.value ? { generation: generation.value } : {}),
  });
  return { fields: [field("Mode", mode), field("Generation", generation)], request };
}

/** The hits of one system. other: the answer that it is compared with; undefined without one. */
function column(base, asked, { ranking, fusion, hits, unknown_terms: unknown }, other) {
  const ranks = other && new Map(other.ranking.results.map((hit) => [hit.chunk_id, hit.rank]));
  const times = Object.entries(ranking.timings_ms).map(([stage, spent]) => [stage, `${number(spent, 2)} ms`]);
  const notices = [
    ...ranking.corrections.map(({ typed, used }) => `Searched for “${used}” instead of “${typed}”.`),
    ...(unknown.length ? [`No chunk has: ${unknown.join(", ")}.`] : []),
    ...(ranking.no_good_answer ? ["Probably nothing answers this."] : []),
    ...ranking.warnings,
  ];
  const list = ranking.results.map((result, at) => hitCard(result, hits[at], fusion, ranks));
  return make(
    "article",
    { class: "column", "aria-label": `${ranking.mode}, generation ${ranking.generation}` },
    make("h3", {}, `${ranking.mode} · ${ranking.generation}`),
    make("p", { class: "muted" }, rules(fusion)),
    make("h4", {}, "Stage times"),
    facts(times),
    make("p", { class: "row" }, copyButton("Copy as curl", asCurl(base, asked)), copyButton("Copy as Python", asPython(base, asked))),
    notices.map((text) => make("p", { class: "notice" }, text)),
    list.length ? make("ol", { class: "hits" }, list) : make("p", {}, "No hits."),
  );
}

/** The fusion of the scores, in a sentence. */
function rules({ method, dense_weight: dense, keyword_weight: keywords, rrf_k: k, candidates }) {
  if (!method) return `Only ${dense ? "dense" : "keyword"} search, ${counted(candidates, "candidate")}.`;
  const how = method === "rrf" ? `by rank (k = ${k})` : "by score";
  return `Fused ${how}: keywords ${number(keywords, 2)}, dense ${number(dense, 2)}; ${candidates} candidates of each side.`;
}

function hitCard(result, explained, fusion, ranks) {
  const trail = [result.title, ...result.heading_path].filter((part, at, all) => part && part !== all[at - 1]).join(" › ");
  const href = safeLink(result.section_url);
  const name = make(href ? "a" : "span", href ? { href, rel: "noreferrer" } : {}, trail || result.url);
  const place = [result.url, result.version, result.locale, result.source].filter(Boolean).join(" · ");
  const points = Array.from(result.content);
  const spans = result.highlights.filter(([, end]) => end <= SHOWN);
  const passage = marked(points.slice(0, SHOWN).join("") + (points.length > SHOWN ? " …" : ""), spans);
  const moved = ranks && (ranks.has(result.chunk_id) ? `rank ${ranks.get(result.chunk_id)} there` : "only here");
  const whole = Math.max(explained.fused, 1e-9);
  const side = (name, score, rank) => (rank === null ? "not a candidate" : `${name} ${number(score)}, rank ${rank}`);
  const sides = [
    ["Keywords", explained.keyword_part, side("BM25", explained.bm25, explained.keyword_rank), fusion.keyword_weight],
    ["Dense", explained.dense_part, side("cosine", explained.cosine, explained.dense_rank), fusion.dense_weight],
  ].filter(([, , , weight]) => weight > 0);
  return make(
    "li",
    { class: "hit", value: String(result.rank) },
    make("h4", {}, name, moved ? make("span", { class: "moved" }, ` ${moved}`) : ""),
    make("p", { class: "muted" }, place),
    make("p", { class: "passage" }, passage),
    facts([
      ...(explained.rerank_score === null ? [] : [["Reranker", make("strong", {}, number(explained.rerank_score, 4))]]),
      ["Score", make(explained.rerank_score === null ? "strong" : "span", {}, number(explained.score, 4))],
      ...sides.map(([name, part, detail]) => [name, `${number(part, 4)} (${detail})`]),
      ...(fusion.dense_weight > 0 && explained.dense_rank !== null ? [] : [["Cosine", number(explained.cosine)]]),
      ["Fused", number(explained.fused, 4)],
      ["Source boost", `× ${number(explained.boost, 2)}`],
    ]),
    fusion.method
      ? bar([
          [(explained.score * explained.keyword_part) / whole, "keywords"],
          [(explained.score * explained.dense_part) / whole, "dense"],
        ])
      : "",
    terms(explained),
  );
}

function terms({ terms: found, bm25 }) {
  if (!found.length) return make("p", { class: "muted" }, "It has none of the query's terms.");
  const most = Math.max(...found.map(({ score }) => score));
  const rows = found.map(({ term, kind, query_weight: asked, idf, weight, score }) => [
    make("bdi", {}, term),
    kind === "word" ? "text" : `is the ${kind}`,
    number(asked, 1),
    number(idf),
    number(weight),
    number(score),
    bar([[score / most, "keywords"]]),
  ]);
  const heading = `${counted(found.length, "term")}${bm25 === null ? "" : `, BM25 ${number(bm25)}`}`;
  return make(
    "details",
    {},
    make("summary", {}, heading),
    table("Terms of the query in this chunk", ["Term", "Found in", "#Query weight", "#IDF", "#Weight", "#Score", "Share"], rows),
  );
}
