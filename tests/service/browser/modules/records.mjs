// Games as SGF: reads [{write} or {read}] and writes the text, or the game, or what is wrong.
import { readSgf, writeSgf } from "../../../../service/http/static/sgf.js";

let text = "";
for await (const part of process.stdin) text += part;

function read(sgf) {
  try {
    return readSgf(sgf);
  } catch (error) {
    return { problem: error.message };
  }
}

const told = JSON.parse(text).map((each) => ("write" in each ? writeSgf(each.write) : read(each.read)));
process.stdout.write(JSON.stringify(told));
