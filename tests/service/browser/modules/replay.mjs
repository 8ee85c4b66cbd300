// What the page's rules make of games: reads [{game, moves}] and writes what follows from each.
import {
  formatMove, gameOf, mapMove, outcome, parseMove, replay, splitMoves,
} from "../../../../service/http/static/rules.js";

let text = "";
for await (const part of process.stdin) text += part;

const cellsOf = (stones, side) => [...stones.keys()].filter((cell) => stones[cell] === side);

const told = JSON.parse(text).map(({ game: id, moves: line }) => {
  const game = gameOf(id);
  const moves = splitMoves(line);
  const last = parseMove(game, moves.at(-1));
  return {
    images: game.symmetries.map((symmetry) => formatMove(game, mapMove(game, last, symmetry))),
    positions: replay(game, moves).map((position) => ({
      dark: cellsOf(position.stones, 1),
      light: cellsOf(position.stones, 2),
      last: position.last,
      outcome: outcome(game, position),
    })),
  };
});
process.stdout.write(JSON.stringify(told));
