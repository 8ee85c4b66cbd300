/** Playing: against the books and the engine, or two people at one board; and the game looked over. */

import { Problem, position as askPosition, positions as askPositions } from "./api.js";
import { lineChart } from "./chart.js";
import { complain, find, h, percent, say, t } from "./dom.js";
import { cellName, outcome, parseMove } from "./rules.js";
import { Opening, evenMoves } from "./opening.js";
import { darkChance, sideName } from "./words.js";

const TIMES = [100, 500, 2000, 5000];
const REVIEW_MS = 100;
// A side that loses less than this with a move has not lost by it.
const BLUNDER = 0.08;
// What finding the forbidden points may take.
const GLANCE_MS = 20;

const RULES = ["swap2", "swap", "rif"];
/** The opening rules of a game. */
const rulesOf = ({ family, rule }) =>
  (family === "gomoku" ? RULES.filter((each) => each !== "rif" || rule === "renju") : []);

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const opposite = (side) => (side === "dark" ? "light" : "dark");

/**
 * A game that is being played, or is over.
 *
 * @typedef {object} Match
 * @property {string} id of the game
 * @property {boolean} alone whether the engine is the opponent
 * @property {"dark" | "light" | null} side the visitor's against the engine; null until it is chosen
 * @property {number} movetime
 * @property {Opening | null} opening by which the colours are chosen
 * @property {{winner: string | null, resigned: boolean} | null} end
 * @property {Map<number, number>} chances dark's, by ply
 * @property {number | null} losing the index of the move that lost
 */

export class Play {
  constructor(page) {
    this.page = page;
    /** @type {Match | null} */
    this.match = null;
    this.hint = null;
    this.forbidden = [];
    this.thinking = new AbortController();
    this.wanted = { opponent: "engine", side: "dark", movetime: TIMES[1] };
  }

  /** Another position is looked at, or the mode was chosen. */
  change() {
    const { session } = this.page;
    this.#stop();
    [this.hint, this.forbidden] = [null, []];
    if (this.match && this.match.id !== session.game.id) this.match = null;
    this.#follow();
    this.#show();
    if (this.match && !this.match.end && session.isLatest) this.#run((signal) => this.#turn(signal));
  }

  /** Another mode has the board. */
  leave() {
    this.#stop();
  }

  scene() {
    const { game } = this.page.session;
    const forbidden = this.forbidden.map((name) => parseMove(game, name).cell);
    return { forbidden, hint: this.hint && parseMove(game, this.hint).cell };
  }

  /** Whether it is for the visitor to put a stone. */
  mayPlay() {
    const { match, page: { session } } = this;
    if (!match || match.end || !session.isLatest) return false;
    if (match.opening?.isChoice) return false;
    return this.#actor() !== "engine";
  }

  forbids(cell) {
    const { game, ply } = this.page.session;
    return this.forbidden.includes(cellName(game, cell))
      || Boolean(this.match?.opening?.forbids(game, ply, cell));
  }

  /** The text that tells why. */
  get forbiddenText() {
    return this.match?.opening?.actor ? "forbidden.opening" : "forbidden";
  }

  /** The moves that are marked, with the reason. */
  judgements() {
    const { losing = null } = this.match ?? {};
    return new Map(losing === null ? [] : [[losing, t("play.losing.short")]]);
  }

  /** What a file of the game tells of it. */
  details() {
    const { match } = this;
    if (!match) return {};
    const name = (side) => (match.alone ? t(match.side === side ? "play.you" : "play.engine") : "");
    const { winner, resigned } = match.end ?? {};
    const letter = { dark: "B", light: "W" }[winner];
    const result = match.end && (letter ? `${letter}+${resigned ? "Resign" : ""}` : "Draw");
    return { dark: name("dark"), light: name("light"), result };
  }

  #stop() {
    this.thinking.abort();
    this.thinking = new AbortController();
  }

  /** Do what asks the service, and tell what goes wrong; a busy one is asked again. */
  async #run(work) {
    const { signal } = this.thinking;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      complain(error.message || t("problem.offline"));
      if (!error.retryAfter) return;
      await sleep(1000 * Math.max(error.retryAfter, 1));
      if (signal.aborted) return;
      complain(null);
      await this.#run(work);
    }
  }

  #actor() {
    const { match, page: { session } } = this;
    if (match.opening?.actor) return match.opening.actor;
    if (!match.alone) return "both";
    return match.side === (session.ply % 2 ? "light" : "dark") ? "you" : "engine";
  }

  /** Take note of what the moves on the board mean for the match. */
  #follow() {
    const { match, page: { session } } = this;
    if (!match) return;
    for (const ply of match.chances.keys()) if (ply > session.moves.length) match.chances.delete(ply);
    if (match.end && !match.end.resigned && !outcomeOf(session)) match.end = null;
    if (!session.isLatest || match.end) return;
    match.opening?.reach(session.ply);
    const over = outcomeOf(session);
    if (over) this.#finish({ winner: over.winner, resigned: false });
  }

  /** Have the engine do what is for it to do, or see what the visitor may not. */
  async #turn(signal) {
    const { session } = this.page;
    const { game } = session;
    const { match } = this;
    if (this.#actor() !== "engine") {
      if (game.rule === "renju" && session.ply % 2 === 0) await this.#lookForFouls(signal);
      return;
    }
    if (match.opening?.isChoice) {
      const answer = await this.#ask(signal);
      this.#choose(match.opening.wise(answer.win_rate));
    } else if (match.opening?.actor) {
      await this.#putEven(signal);
    } else {
      const answer = await this.#ask(signal);
      if (!signal.aborted) session.playText(answer.best);
    }
  }

  /** Put the stones that swap2 asks for now, for chances as even as can be found. */
  async #putEven(signal) {
    const { session, session: { game } } = this.page;
    const count = (this.match.opening.phase === "place" ? 3 : 5) - session.ply;
    const added = await evenMoves(game, this.match.opening, session.line, count, signal);
    if (!signal.aborted) session.load(game.id, [...session.line, ...added], { played: true });
  }

  /** The answer about the position on the board, whose value is kept for the chart. */
  async #ask(signal, movetime = this.match.movetime) {
    const { session } = this.page;
    const { ply } = session;
    const asked = { game: session.game.id, moves: session.line };
    const answer = await askPosition(asked, { movetime }, signal);
    this.match.chances.set(ply, darkChance(answer, answer.to_move));
    this.#drawChart();
    return answer;
  }

  async #lookForFouls(signal) {
    const answer = await this.#ask(signal, GLANCE_MS);
    if (signal.aborted) return;
    this.forbidden = answer.forbidden;
    if (answer.outcome) this.#finish({ winner: "light", resigned: false });
    this.page.redraw();
  }

  #start() {
    const { session } = this.page;
    const { opponent, side, movetime } = this.wanted;
    const alone = opponent === "engine";
    const [rule, opener] = side.split("-");
    const swaps = RULES.includes(rule);
    const people = { you: ["you", "engine"], engine: ["engine", "you"] };
    const players = alone ? people[opener] : ["first", "second"];
    this.match = {
      id: session.game.id, alone, movetime, end: null, chances: new Map(), losing: null,
      side: swaps || !alone ? null : side,
      opening: swaps ? new Opening(rule, ...players) : null,
    };
    session.load(session.game.id, []);
  }

  #choose(choice) {
    const { match } = this;
    const { actor } = match.opening;
    const dark = match.opening.choose(choice);
    if (match.alone && dark) match.side = dark === "you" ? "dark" : "light";
    const who = t(`play.actor.${actor}`);
    this.told = t(`opening.chose.${choice}`, { who });
    say(this.told);
    this.change();
  }

  #undo() {
    const { session } = this.page;
    const { match } = this;
    match.end = null;
    match.losing = null;
    const mine = match.alone && (match.side === "light") === (session.moves.length % 2 === 1);
    session.cut(Math.max(session.moves.length - (mine ? 2 : 1), this.#least()));
  }

  /** How many moves cannot be taken back: those of the opening, and the engine's first. */
  #least() {
    const { opening, alone, side, end } = this.match;
    if (opening) return opening.phase === "done" ? 3 : this.page.session.moves.length;
    return alone && side === "light" && !end ? 1 : 0;
  }

  async #giveHint(signal) {
    const answer = await this.#ask(signal);
    if (signal.aborted || !answer.best) return;
    this.hint = answer.best;
    this.told = t("play.hint.told", { move: answer.best });
    say(this.told);
    this.#show();
    this.page.redraw();
  }

  #resign() {
    const turn = this.page.session.ply % 2 ? "light" : "dark";
    const loser = this.match.side ?? turn;
    this.#stop();
    this.#finish({ winner: opposite(loser), resigned: true });
    this.#show();
  }

  #finish(end) {
    this.match.end = end;
    say(this.#endWords());
    // Not now: a change of the position ends what is asked.
    queueMicrotask(() => this.#run((signal) => this.#review(signal)));
  }

  /** Ask for the value of every position of the game, and find the move that lost it. */
  async #review(signal) {
    const { session } = this.page;
    const { match } = this;
    const plies = [...session.moves.keys()];
    const lines = plies.map((ply) => session.moves.slice(0, ply));
    const answers = await askPositions(session.game.id, lines, { movetime: REVIEW_MS }, signal);
    if (signal.aborted || this.match !== match) return;
    answers.forEach((answer, ply) => match.chances.set(ply, darkChance(answer, answer.to_move)));
    const { winner } = match.end;
    if (!match.end.resigned) {
      match.chances.set(plies.length, { dark: 1, light: 0 }[winner] ?? 0.5);
    }
    match.losing = winner && losingMove(match.chances, opposite(winner));
    this.#show();
    this.page.relist();
  }

  #endWords() {
    const { winner, resigned } = this.match.end;
    if (!winner) return t("outcome.draw");
    const words = t(`outcome.${winner} wins`);
    return resigned ? `${t("play.resigned", { side: sideName(opposite(winner)) })} ${words}.` : words;
  }

  #show() {
    find("#play").replaceChildren(...(this.match ? this.#running() : this.#settings()));
  }

  #settings() {
    const { session } = this.page;
    const option = (value, text, chosen) => h("option", { value, selected: value === chosen }, text);
    const select = (name, options) => h("label", { class: "field" }, h("span", {}, t(`play.${name}`)),
      h("select", {
        id: `play-${name}`,
        onchange: ({ target }) => { this.wanted[name] = target.value; this.#show(); },
      }, options));
    const { opponent, side, movetime } = this.wanted;
    const openers = opponent === "engine" ? ["you", "engine"] : ["people"];
    const chosen = rulesOf(session.game).flatMap((rule) => openers.map((who) => `${rule}-${who}`));
    const offered = [...(opponent === "engine" ? ["dark", "light"] : ["plain"]), ...chosen];
    if (!offered.includes(side)) [this.wanted.side] = offered;
    return [
      h("h2", {}, t("play.title")),
      h("div", { class: "fields" },
        select("opponent", ["engine", "people"].map((each) => option(each, t(`play.${each}.long`), opponent))),
        select("side", offered.map((each) => option(each, t(`play.side.${each}`), this.wanted.side))),
        opponent === "engine" && select("movetime", TIMES.map((time) =>
          option(String(time), t("time", { s: time / 1000 }), String(movetime))))),
      h("p", {}, h("button", { type: "button", class: "primary", id: "start", onclick: () => this.#start() },
        t("play.start"))),
      h("p", { class: "faint small" }, t("play.about")),
    ];
  }

  #running() {
    const { match } = this;
    const button = (name, does, can = true) => h("button", {
      type: "button", id: name, disabled: !can, onclick: does,
    }, t(`play.${name}`));
    const goes = !match.end;
    const settled = !match.opening?.actor;
    const told = this.told;
    this.told = null;
    return [
      h("p", { class: "headline" }, this.#status()),
      told && h("p", { class: "faint" }, told),
      goes && match.opening?.isChoice && this.#actor() !== "engine" && this.#choices(),
      goes && match.opening?.actor && this.mayPlay() && h("p", {}, h("button", {
        type: "button", id: "even", onclick: () => this.#run((signal) => this.#putEven(signal)),
      }, t("opening.even"))),
      match.end && match.losing !== null && h("p", {}, t("play.losing", {
        side: sideName(opposite(match.end.winner)), move: this.page.session.moves[match.losing],
        number: match.losing + 1,
      })),
      h("div", { id: "chart" }, this.#chart()),
      h("div", { class: "row" },
        button("undo", () => this.#undo(), settled && this.page.session.moves.length > this.#least()),
        button("hint", () => this.#run((signal) => this.#giveHint(signal)),
          goes && settled && this.mayPlay()),
        button("resign", () => this.#resign(), goes && settled),
        button("again", () => { this.match = null; this.#stop(); this.#show(); })),
    ].filter(Boolean);
  }

  #choices() {
    return h("div", { class: "choices" }, this.match.opening.options.map((choice) => h("button", {
      type: "button", id: `choose-${choice}`, onclick: () => this.#choose(choice),
    }, t(`opening.take.${choice}`))));
  }

  #status() {
    const { match } = this;
    if (match.end) return this.#endWords();
    const actor = this.#actor();
    if (match.opening?.actor) {
      const { phase, rule } = match.opening;
      const step = phase === "add" || rule === "swap2" ? phase : `${phase}.${rule}`;
      return t(`opening.${step}`, { who: t(`play.actor.${actor}`) });
    }
    const side = sideName(this.page.session.moves.length % 2 ? "light" : "dark");
    return t(`play.turn.${actor}`, { side });
  }

  #drawChart() {
    find("#chart")?.replaceChildren(...this.#chart());
  }

  #chart() {
    const { chances, losing } = this.match;
    const points = [...chances].sort(([a], [b]) => a - b).map(([x, y]) => ({ x, y }));
    if (points.length < 2) return [];
    const marked = losing === null ? -1 : points.findIndex(({ x }) => x === losing + 1);
    return [
      h("p", { class: "small faint" }, t("play.chart")),
      lineChart(points, { label: t("play.chart"), range: [0, 1], format: percent, marked }),
    ];
  }
}

function outcomeOf(session) {
  const over = outcome(session.game, session.positions.at(-1));
  return over && { winner: over === "draw" ? null : over.split(" ")[0] };
}

/** The index of the move by which `loser` gave away most; null if none gave away much. */
function losingMove(chances, loser) {
  let [worst, most] = [null, BLUNDER];
  for (const [ply, dark] of chances) {
    const next = chances.get(ply + 1);
    if (next === undefined || (ply % 2 === 0) !== (loser === "dark")) continue;
    const given = loser === "dark" ? dark - next : next - dark;
    if (given >= most) [worst, most] = [ply, given];
  }
  return worst;
}
