/** Requests of operators to Assay, with an admin key that is kept in memory only. */

const SLOWEST = 120_000; // milliseconds: the first queue of a large test set searches for all of its topics

/** A failed request. status: of HTTP; 0 without an answer. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export class Api {
  /** base: URL of the server, with a slash at its end. */
  constructor(base) {
    this.base = base;
    this.key = "";
  }

  /** The answer of a GET. Raises ApiError. */
  get(path) {
    return this.#ask(path, { method: "GET" });
  }

  /** The answer of a POST. Raises ApiError. */
  post(path, body) {
    return this.#ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async #ask(path, request) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), SLOWEST);
    try {
      const response = await fetch(this.base + path, {
        ...request,
        headers: { ...request.headers, Authorization: `Bearer ${this.key}` },
        signal: controller.signal,
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
      const answer = await response.json();
      if (!response.ok) throw new ApiError(String(answer.message), response.status);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError(
        error.name === "AbortError" ? "The server takes too long." : "The server cannot be reached.",
        0,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}
