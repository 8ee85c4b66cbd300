// Puts the questions on standard input through the module, and prints the answers:
// node ask.mjs URL. A question is [route, query, body].
import { readFileSync } from "node:fs";
import { Fivebook, ServiceRefuses } from "../../clients/fivebook.js";

const service = new Fivebook(process.argv[2], { retries: 1 });
const answers = [];
for (const [route, query, body] of JSON.parse(readFileSync(0))) {
  try {
    if (route === "live") {
      const events = [];
      for await (const event of service.live(query)) events.push(event);
      answers.push(events.at(-1).data);
    } else {
      answers.push(await service[route](body ?? query));
    }
  } catch (error) {
    if (!(error instanceof ServiceRefuses)) throw error;
    answers.push(error.problem);
  }
}
console.log(JSON.stringify(answers));
