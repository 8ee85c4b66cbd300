// Asks a site in a folder, the first argument, for each of many positions of its game, given as
// lists of moves: what its page is told, and the sizes of the files that it had to fetch.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

let sizes = [];
globalThis.fetch = async (url) => {
  const bytes = readFileSync(url);
  sizes.push(bytes.length);
  return new Response(bytes);
};

const [, , folder, game] = process.argv;
const site = await import(pathToFileURL(`${folder}/static/api.js`));
const told = [];
for (const moves of JSON.parse(readFileSync(0, "utf8"))) {
  sizes = [];
  const answer = await site.position({ game, moves }).catch((problem) => (
    { status: problem.status, detail: problem.message }
  ));
  told.push({ answer, sizes });
}
console.log(JSON.stringify(told));
