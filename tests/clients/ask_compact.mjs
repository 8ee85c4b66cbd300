// Answers from the compact book of the first argument, as ask_compact.cpp does.
import { readFileSync } from "node:fs";
import { CompactBook } from "../../clients/fivebook_compact.js";

try {
  const book = new CompactBook(readFileSync(process.argv[2]));
  const cells = (text) => text.split(" ").filter(Boolean).map(Number);
  for (const line of readFileSync(0, "utf8").split("\n").slice(0, -1)) {
    const [dark, light] = line.split("|").map(cells);
    const words = [book.key(dark, light).toString(16).padStart(16, "0")];
    const answer = book.find(dark, light);
    if (answer) {
      const { move, value, bound, proven } = answer;
      words.push(move, book.name(move), value, bound, Number(proven));
    }
    console.log(words.join(" "));
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
