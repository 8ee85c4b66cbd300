/** Games in and out: a link, and SGF files of Gomoku. */

import { complain, find, h, say, t } from "./dom.js";
import { InvalidRecord, readSgf, writeSgf } from "./sgf.js";

/**
 * Have the buttons for links and files work.
 *
 * @param {import("./session.js").Session} session
 * @param {() => {dark?: string, light?: string, result?: string}} details of the game
 */
export function offerFiles(session, details) {
  const input = h("input", {
    type: "file", accept: ".sgf,application/x-go-sgf,text/plain", hidden: true, id: "file",
    onchange: () => load(session, input),
  });
  const save = h("button", { type: "button", id: "save", onclick: () => download(session, details()) },
    t("sgf.save"));
  const open = h("button", { type: "button", id: "open", onclick: () => input.click() }, t("sgf.open"));
  find("#files").append(save, open, input);
  find("#share").addEventListener("click", share);
  const show = () => {
    save.hidden = session.game.family !== "gomoku";
    find("#shared").textContent = "";
  };
  session.addEventListener("change", show);
  show();
}

async function share() {
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  // Without leave to copy, the link is there to be copied by hand.
  const text = copied ? t("share.done") : location.href;
  find("#shared").textContent = text;
  say(text);
}

function download(session, details) {
  const text = writeSgf({ game: session.game.id, moves: session.moves, ...details });
  const url = URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" }));
  h("a", { href: url, download: `${session.game.id}.sgf` }).click();
  setTimeout(() => URL.revokeObjectURL(url));
}

async function load(session, input) {
  const [file] = input.files;
  input.value = "";
  if (!file) return;
  try {
    const record = readSgf(await file.text());
    session.load(record.game, record.moves, { mode: "explore" });
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
    complain(t("sgf.problem", { file: file.name, reason: t(error.message, error.values) }));
  }
}
