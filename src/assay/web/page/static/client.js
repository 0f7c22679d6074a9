/** Requests to Assay. Only the newest search has an answer. */

const SLOWEST = 15_000; // milliseconds

/** A failed search. status: of HTTP; 0 without an answer. advice: the next step for the reader. */
export class SearchError extends Error {
  constructor(message, status, advice) {
    super(message);
    this.status = status;
    this.advice = advice;
  }
}

export class Client {
  #latest = 0;
  #running = null;

  /** base: URL of the server, with a slash at its end. key: an API key; "" for none. */
  constructor(base) {
    this.base = base;
    this.key = "";
  }

  /** The answer of POST /v1/search; null if a later search has begun. Raises SearchError. */
  async search(body) {
    this.cancel();
    const number = this.#latest;
    this.#running = new AbortController();
    try {
      const answer = await this.#ask("v1/search", this.#running, body);
      return number === this.#latest ? answer : null;
    } catch (error) {
      if (number !== this.#latest) return null;
      throw error;
    }
  }

  /** Cancel the search in progress. */
  cancel() {
    this.#latest += 1;
    this.#running?.abort();
  }

  /** Report an opened result. The report is sent although its page is left, and nobody waits for it. */
  clicked(queryId, chunkId) {
    fetch(this.base + "v1/clicks", {
      ...this.#request({ query_id: queryId, chunk_id: chunkId }),
      keepalive: true,
    }).catch(() => {});
  }

  /** The answer of GET /v1/facets. Raises SearchError. */
  facets() {
    return this.#ask("v1/facets", new AbortController());
  }

  async #ask(path, controller, body) {
    const timer = setTimeout(() => controller.abort(), SLOWEST);
    try {
      const response = await fetch(this.base + path, { ...this.#request(body), signal: controller.signal });
      const answer = await response.json();
      if (!response.ok) throw refusal(response.status, String(answer.message), Boolean(this.key));
      return answer;
    } catch (error) {
      throw error instanceof SearchError ? error : this.#unreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A request with a JSON body, or a GET without one. */
  #request(body) {
    const headers = body ? { "Content-Type": "application/json" } : {};
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    return {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      credentials: "omit",
      referrerPolicy: "no-referrer",
    };
  }

  #unreachable(error) {
    if (error.name === "AbortError") return new SearchError("The search takes too long.", 0, "Try again in a moment.");
    const foreign = new URL(this.base).origin !== location.origin;
    const owner = foreign ? ` If this is your site: is ${location.origin} in [server] cors_origins of Assay?` : "";
    return new SearchError("The search server cannot be reached.", 0, `Check your connection, and try again.${owner}`);
  }
}

/** The error for a refused request. message: of the server; for a missing key it addresses programs, so it is replaced. */
function refusal(status, message, hadKey) {
  if (status === 401 && !hadKey) return new SearchError("Searching here needs an API key.", 401, "Ask the operator for one.");
  const advice = { 400: "Change the query or the filters.", 401: "Ask the operator for another key." };
  return new SearchError(message, status, advice[status] ?? "Try again in a moment.");
}
