// Asks a running service (`fivebook serve`) from a browser, Node or Deno. Routes, parameters and
// answers are those of docs/http.md:
//
//   const service = new Fivebook("http://127.0.0.1:8000");
//   const { best } = await service.best({ game: "gomoku-15", moves: "h8 i9" });
//   for await (const { name, data } of service.live({ game: "gomoku-15", moves: "a1" })) …

export class ServiceRefuses extends Error {
  // `problem` is the problem document that the service answered with.
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export class Fivebook {
  // A question that meets a busy service is put again up to `retries` times.
  constructor(url, { retries = 3 } = {}) {
    this.base = url.replace(/\/$/, "") + "/api/v1/";
    this.retries = retries;
  }

  position(query, options) { return this.#json("position", query, options); }
  best(query, options) { return this.#json("best", query, options); }
  line(query, options) { return this.#json("line", query, options); }
  random(query, options) { return this.#json("random", query, options); }
  proof(query, options) { return this.#json("proof", query, options); }
  books(options) { return this.#json("books", {}, options); }
  positions(body, options) {
    const headers = { "Content-Type": "application/json" };
    return this.#json("positions", {}, { method: "POST", headers, body: JSON.stringify(body), ...options });
  }

  // Events of a live search: { name: "progress" or "answer", data }. Leaving the loop ends it.
  async *live(query, options) {
    const response = await this.#ask("live", query, options);
    let text = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + part).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const [, name, data] = event.match(/^event: (.*)\ndata: (.*)$/);
        if (name === "problem") throw new ServiceRefuses(JSON.parse(data));
        yield { name, data: JSON.parse(data) };
      }
    }
  }

  async #json(...question) { return (await this.#ask(...question)).json(); }

  async #ask(route, query, options) {
    const address = `${this.base}${route}?${new URLSearchParams(query)}`.replace(/\?$/, "");
    for (let left = this.retries; ; left--) {
      const response = await fetch(address, options);
      if (response.ok) return response;
      const problem = await response.json();
      if (![429, 503].includes(response.status) || !left) throw new ServiceRefuses(problem);
      await new Promise((done) => setTimeout(done, 1000 * (response.headers.get("Retry-After") ?? 1)));
    }
  }
}
