/** What the service is asked, and its answers. */

const base = new URL(`${document.documentElement.dataset.base}api/v1/`, location.href);

/** What went wrong, in the service's own sentence. */
export class Problem extends Error {
  /** @param {{status: number, detail: string, retryAfter?: number}} problem */
  constructor({ status, detail, retryAfter = 0 }) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function address(route, parameters = {}) {
  const url = new URL(route, base);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, value);
  }
  return url;
}

async function ask(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, detail: "" });
  }
  if (response.ok) return response;
  const document = await response.json().catch(() => ({ detail: response.statusText }));
  const retryAfter = Number(response.headers.get("Retry-After") ?? 0);
  throw new Problem({ status: response.status, detail: document.detail, retryAfter });
}

const get = async (route, parameters, signal) =>
  (await ask(address(route, parameters), { signal })).json();

/**
 * All that is known of the position after `moves`.
 *
 * @param {{game: string, moves: string[]}} asked
 * @param {{movetime?: number, lines?: number, book_only?: boolean}} [options]
 */
export function position({ game, moves }, options = {}, signal) {
  return get("position", { game, moves: moves.join(), ...options }, signal);
}

/** Answers to many positions of one game, each given by its moves; null where nobody knows. */
export async function positions(game, lines, options = {}, signal) {
  const body = JSON.stringify({ game, positions: lines.map((moves) => moves.join()), ...options });
  const headers = { "Content-Type": "application/json" };
  const response = await ask(address("positions"), { method: "POST", headers, body, signal });
  return (await response.json()).answers;
}

/** Everything about the book of this name. */
export const book = (name, signal) => get(`books/${encodeURIComponent(name)}`, {}, signal);

export const books = async () => (await get("books")).books;

/**
 * What is known of a position, again and again while a search goes deeper; the last is final.
 * The search ends when `signal` is aborted.
 */
export async function* live({ game, moves }, options, signal) {
  const url = address("live", { game, moves: moves.join(), ...options });
  const response = await ask(url, { signal });
  for await (const { event, data } of events(response.body)) {
    const document = JSON.parse(data);
    if (event === "problem") throw new Problem(document);
    yield document;
  }
}

/** The events of a stream, as they come. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value.replace(/\r/g, "")).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = { event: "message", data: "" };
      for (const line of part.split("\n")) {
        const [, name, content] = /^(\w*): ?(.*)$/.exec(line) ?? [];
        if (name in fields) fields[name] = content;
      }
      if (fields.data) yield fields;
    }
  }
}
