/** Labelling: one hit after the other, each label saved before the next is shown. */

import { button, check, choice, field, generationOptions, MODES, number, pill, table } from "./controls.js";
import { counted, make, marked, safeLink } from "./dom.js";
import { PageText } from "./selection.js";

const WORDS = ["does not answer it", "helps", "answers it"];
const KEYS = [
  ["0", "No"],
  ["1", "Helps"],
  ["2", "Answers"],
];

/** The view. api: of the server. generations: as GET /v1/admin/generations lists them. */
export function view({ api, generations }) {
  const error = make("div", { role: "alert", class: "error" });
  const work = make("div", {});
  const agreement = make("div", {});
  const start = make("details", { open: true }, make("summary", {}, "Which hits"));
  const title = make("h2", { id: "label-title" }, "Labels");
  const section = make("section", { "aria-labelledby": "label-title" }, title, start, error, work, agreement);
  let session = null;

  const attempt = async (action) => {
    error.replaceChildren();
    try {
      await action();
    } catch (failure) {
      if (session?.card.isConnected !== true) work.replaceChildren();
      error.replaceChildren(make("p", {}, failure.message));
    }
  };
  const showAgreement = async () => agreement.replaceChildren(...agreements(await api.get("v1/admin/labels")));
  attempt(async () => {
    const { test_sets: sets } = await api.get("v1/admin/labels");
    const broken = sets.filter(({ problem }) => problem).map(({ name, problem }) => make("p", { class: "notice" }, `${name}: ${problem}`));
    const sound = sets.filter(({ problem }) => !problem);
    start.append(...broken, sound.length ? setup(sound, generations, begin) : make("p", {}, NO_TEST_SET));
    agreement.replaceChildren(...agreements({ test_sets: sets }));
  });

  function begin(wanted) {
    attempt(async () => {
      session?.end();
      work.replaceChildren(make("p", { role: "status" }, "Searching for the hits of all topics …"));
      session = new Session(api, wanted, work, showAgreement);
      await session.load();
      start.open = false;
    });
  }

  return section;
}

const NO_TEST_SET = "There is no test set: set one with [validation] testset, or make one with assay testset derive.";

/** The form that begins a session. begin: called with the request for the hits. */
function setup(sets, generations, begin) {
  const testSet = choice(sets.map(({ name, topics, judgments }) => [name, `${name} (${counted(topics, "topic")}, ${counted(judgments, "label")})`]));
  const judge = make("input", { maxlength: "100", autocomplete: "off", placeholder: "optional" });
  const depth = make("input", { type: "number", min: "1", max: "100", value: "5", required: true });
  const mode = choice(MODES);
  const generation = choice(generationOptions(generations, ["", "Candidate, else live"]));
  const compare = check("Mix with the hits of");
  const otherMode = choice(MODES);
  const otherGeneration = choice(generationOptions(generations, ["", "Candidate, else live"]));
  const other = make("fieldset", { class: "row", disabled: true }, make("legend", { class: "unseen" }, "Compared system"), field("Mode", otherMode), field("Generation", otherGeneration));
  const skipped = check("Include skipped hits");
  const second = check("Second opinion: hits that another judge has labelled");
  compare.box.addEventListener("change", () => (other.disabled = !compare.box.checked));
  const form = make(
    "form",
    { class: "panel" },
    make("div", { class: "row" }, field("Test set", testSet), field("Judge", judge), field("Hits of each topic", depth)),
    make("div", { class: "row" }, field("Mode", mode), field("Generation", generation)),
    make("div", { class: "row" }, compare.node, other),
    make("div", { class: "row" }, skipped.node, second.node),
    make("button", { class: "primary" }, "Start"),
  );
  const system = (chosenMode, chosenGeneration) => ({
    ...(chosenMode.value ? { mode: chosenMode.value } : {}),
    ...(chosenGeneration.value ? { generation: chosenGeneration.value } : {}),
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin({
      test_set: testSet.value,
      judge: judge.value.trim(),
      depth: Number(depth.value),
      systems: [system(mode, generation), ...(compare.box.checked ? [system(otherMode, otherGeneration)] : [])],
      skipped: skipped.box.checked,
      second_opinion: second.box.checked,
    });
  });
  return form;
}

/** One judge who labels. */
class Session {
  #index = 0;
  #done = []; // entries with their items, the last one last
  #busy = false;

  /** wanted: the request for hits. place: where it is shown. finished: called when no hit is left. */
  constructor(api, wanted, place, finished) {
    this.api = api;
    this.place = place;
    this.wanted = wanted;
    this.finished = finished;
    this.said = make("p", { role: "status", class: "said" });
    this.error = make("div", { role: "alert", class: "error" });
    this.card = make("div", { class: "card", role: "group", tabindex: "-1" });
    this.progress = make("div", { class: "progress" });
    this.page = new PageText(api, (has) => this.#announce(has));
    this.hint = make("p", { class: "notice", hidden: true }, "0, 1 and 2 now label the selected text.");
    this.pressed = (event) => this.#press(event);
    document.addEventListener("keydown", this.pressed);
  }

  end() {
    document.removeEventListener("keydown", this.pressed);
  }

  /** Load hits and show the first. first: a hit to show first, by topic and text; undefined for none. */
  async load(first) {
    this.queue = await this.api.post("v1/admin/labels/queue", this.wanted);
    const at = first ? this.queue.items.findIndex((item) => isSame(item, first)) : -1;
    this.#index = Math.max(at, 0);
    this.undoable = this.queue.undo;
    if (!this.card.isConnected) this.place.replaceChildren(this.progress, this.card, this.error, this.said, this.hint, this.page.node);
    const troubles = [...this.queue.failed.map(({ topic_id: id, error }) => `${id}: ${error}`), ...this.queue.problems];
    this.error.replaceChildren(...troubles.map((text) => make("p", {}, text)));
    this.#showProgress(this.queue.progress);
    this.#show();
  }

  get item() {
    return this.queue.items[this.#index];
  }

  #press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!this.card.checkVisibility() || isText(event.target)) return;
    const key = event.key.toLowerCase();
    if (!"012su".includes(key) || key.length !== 1) return;
    event.preventDefault();
    this.#act(key);
  }

  /** Do what a key says, unless the label before it is still being saved. */
  async #act(key) {
    if (this.#busy) return;
    this.#busy = true;
    this.card.setAttribute("aria-busy", "true");
    try {
      this.error.replaceChildren();
      if (key === "u") await this.#undo();
      else if (this.item && key === "s") await this.#skip();
      else if (this.item) await this.#label(Number(key));
    } catch (failure) {
      const advice = failure.status === 400 ? "" : " Nothing was lost: press the key again.";
      this.error.replaceChildren(make("p", {}, make("strong", {}, "Not saved. "), `${failure.message}${advice}`));
    } finally {
      this.#busy = false;
      this.card.removeAttribute("aria-busy");
    }
  }

  async #label(label) {
    const { item } = this;
    const selects = this.page.isOpen && this.page.span() !== null;
    const answer = await this.api.post("v1/admin/labels", {
      ...this.#who(),
      topic_id: item.topic_id,
      judgment: selects ? await this.page.judgment() : item.judgment,
      ...(selects ? {} : { content_hash: item.content_hash }),
      label,
      queue: this.queue.queue,
    });
    this.#done.push({ entry: answer.given.entry, item });
    const kept = answer.saved || this.wanted.second_opinion ? "" : ` The test set keeps its label ${answer.label}.`;
    this.#say(`${label}: ${WORDS[label]}.${kept}`, answer.effect);
    if (selects) document.getSelection().removeAllRanges();
    else await this.#next();
  }

  async #skip() {
    const { item } = this;
    const { entry } = await this.api.post("v1/admin/labels/skip", { ...this.#who(), topic_id: item.topic_id, content_hash: item.content_hash });
    this.#done.push({ entry, item });
    this.#say("Skipped.", null);
    await this.#next();
  }

  async #undo() {
    const last = this.#done.at(-1) ?? (this.undoable && { entry: this.undoable.entry, item: this.undoable });
    if (!last) {
      this.said.textContent = "There is nothing to undo.";
      return;
    }
    const { effect } = await this.api.post("v1/admin/labels/undo", { ...this.#who(), entry: last.entry, queue: this.queue.queue });
    this.#done.pop();
    const known = this.queue.items.findIndex((item) => isSame(item, last.item));
    if (known >= 0) {
      this.#index = known;
      this.#show();
    } else await this.load(last.item);
    this.#say("Undone.", effect);
  }

  #who() {
    return { test_set: this.wanted.test_set, judge: this.wanted.judge };
  }

  async #next() {
    this.#index += 1;
    if (this.item || this.queue.waiting <= this.queue.items.length) this.#show();
    else await this.load();
    if (!this.item) await this.finished();
  }

  /** Show what a key did, and its effect on the verdict. */
  #say(text, effect) {
    const changes = (effect?.topics ?? []).map(topicChange).filter(Boolean);
    this.said.textContent = [text, ...changes].join(" ");
    if (effect) this.#showProgress(effect.progress);
  }

  #announce(hasSelection) {
    this.hint.hidden = !hasSelection;
  }

  #show() {
    this.page.close();
    const { item } = this;
    this.card.setAttribute("aria-label", item ? `${this.#index + 1} of ${this.queue.waiting}: ${item.query}` : "Nothing is left");
    this.card.focus({ preventScroll: true }); // keys are labels and not text, and screen readers say what is asked
    if (!item) {
      this.card.replaceChildren(make("p", {}, "Nothing is left to label. assay validate measures again."), this.#buttons(false));
      return;
    }
    const trail = [item.title, ...item.heading_path].filter((part, at, all) => part && part !== all[at - 1]).join(" › ");
    const href = safeLink(item.section_url);
    const link = make(href ? "a" : "span", href ? { href, target: "_blank", rel: "noopener noreferrer" } : {}, trail || item.url);
    this.card.replaceChildren(
      make("p", { class: "muted" }, `${this.#index + 1} of ${this.queue.waiting} · ${item.topic_id}`),
      make("h3", {}, item.query),
      item.expects_answer ? "" : make("p", { class: "notice" }, "The topic expects no answer: only 0 is accepted."),
      make("p", {}, link, make("br"), make("span", { class: "muted" }, item.url)),
      make("p", { class: "passage whole" }, marked(item.text, item.highlights)),
      make("p", { class: "muted" }, `Why: ${item.why}.`),
      this.#buttons(true),
    );
  }

  #buttons(hasItem) {
    const key = (name) => [make("kbd", { "aria-hidden": "true" }, name), " "];
    const labels = KEYS.map(([name, words]) => button([key(name), words], () => this.#act(name), { "aria-keyshortcuts": name }));
    const skip = button([key("s"), "Skip"], () => this.#act("s"), { "aria-keyshortcuts": "s" });
    const undo = button([key("u"), "Undo"], () => this.#act("u"), { "aria-keyshortcuts": "u" });
    const select = button("Select text on the page", () => this.#openPage());
    return make("div", { class: "row keys" }, hasItem ? [labels, skip] : [], undo, hasItem && this.item.url ? select : []);
  }

  async #openPage() {
    if (this.page.isOpen) return this.page.close();
    try {
      await this.page.open(this.queue.generations[0], this.item.url, this.item.judgment.quote ?? "");
    } catch (failure) {
      this.error.replaceChildren(make("p", {}, failure.message));
    }
  }

  #showProgress({ reached, missed, open, left, checks }) {
    const all = Math.max(reached + missed + open, 1);
    const rows = checks.map(({ check: name, outcome, value, limit, detail }) => [name, pill(outcome), number(value), limit, detail]);
    this.progress.replaceChildren(
      make("p", {}, `${counted(left, "hit")} without a label. Topics: ${reached} decided to reach the limit, ${missed} to miss it, ${open} open.`),
      make("progress", { max: String(all), value: String(all - open), "aria-label": "Decided topics" }),
      make("details", {}, make("summary", {}, "The verdict with these labels ", checks.map(({ check: name, outcome }) => [name, " ", pill(outcome), " "])), table("Checks of the answers", ["Check", "Verdict", "#Value", "Limit", "Detail"], rows)),
    );
  }
}

/** How a label changed a topic, in a sentence; "" if it did not. */
function topicChange({ topic_id: id, before, after, precision_before: from, precision_after: to }) {
  const figures = from !== to && to !== null ? `P@5 ${number(from, 2)} → ${number(to, 2)}` : "";
  const standing = before !== after ? `${before} → ${after}` : "";
  const change = [figures, standing].filter(Boolean).join(", ");
  return change && `${id}: ${change}.`;
}

/** The agreement of each pair of judges. */
function agreements({ test_sets: sets }) {
  return sets
    .flatMap(({ agreements: found }) => found)
    .map(({ judges, both, equal, kappa, weighted_kappa: weighted, differing }) => {
      const name = judges.join(" and ");
      const sentence = `${counted(both, "passage")} labelled by both, ${equal} equally. κ ${number(kappa, 2)}, weighted ${number(weighted, 2)}.`;
      const rows = differing.map(({ topic_id: id, url, quote, labels }) => [
        id,
        [quote, make("br"), make("span", { class: "muted" }, url)],
        ...labels.map(String),
      ]);
      return make(
        "div",
        { class: "panel" },
        make("h3", {}, name),
        make("p", {}, sentence),
        rows.length ? table(`Different labels of ${name}`, ["Topic", "Passage", `#${judges[0]}`, `#${judges[1]}`], rows) : "",
      );
    });
}

const isSame = (item, other) => item.topic_id === other.topic_id && item.content_hash === other.content_hash;
const isText = (target) => target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName ?? "");
