// The openings as pictures, a statement of its own: the first stone o in the centre, the second x,
// and the third on the number of the opening. Rows from the top.
import assert from "node:assert/strict";
import { test } from "node:test";

import { openingOf } from "../../../../service/http/static/openings.js";
import { cellNamed, gameOf, mapCell } from "../../../../service/http/static/rules.js";

const DIRECT = `
  .  .  1  2  3
  .  .  x  4  5
  .  .  o  6  7
  .  .  8  9 10
  .  . 11 12 13
`;
const INDIRECT = `
  .  .  .  .  1
  .  .  .  x  2
  .  .  o  6  3
  . 11  9  7  4
 13 12 10  8  5
`;
const NAMES = {
  D: "Kansei Keigetsu Sosei Kagetsu Zangetsu Ugetsu Kinsei Shogetsu Kyugetsu Shingetsu Zuisei "
    + "Sangetsu Yusei",
  I: "Chosei Kyogetsu Kosei Suigetsu Ryusei Ungetsu Hogetsu Rangetsu Gingetsu Myojo Shagetsu "
    + "Meigetsu Suisei",
};

/** The cells of what is in a picture, by what stands there, on a board of `size`. */
function placesIn(picture, size) {
  const [places, corner] = [new Map(), (size - 5) / 2];
  picture.trim().split("\n").forEach((row, index) => row.trim().split(/\s+/).forEach((sign, column) => {
    places.set(sign, (corner + 4 - index) * size + corner + column);
  }));
  return places;
}

for (const [letter, picture] of Object.entries({ D: DIRECT, I: INDIRECT })) {
  for (const size of [5, 15, 19]) {
    test(`the openings ${letter} have their names on ${size}×${size}, in every orientation`, () => {
      const game = gameOf(`gomoku-${size}`);
      const places = placesIn(picture, size);
      NAMES[letter].split(" ").forEach((name, index) => {
        const cells = ["o", "x", String(index + 1)].map((sign) => places.get(sign));
        for (const symmetry of game.symmetries) {
          const found = openingOf(game, cells.map((cell) => mapCell(game, cell, symmetry)));
          assert.equal(found?.name, name);
          assert.equal(found.code, `${index + 1}${letter}`);
        }
      });
    });
  }
}

test("every third stone within two of the centre has a name, and no two share one", () => {
  const game = gameOf("gomoku-15");
  const names = new Set();
  for (const second of ["h9", "i9"]) {
    for (let row = 6; row <= 10; row++) {
      for (const column of "fghij") {
        const line = ["h8", second, `${column}${row}`];
        if (new Set(line).size < 3) continue;
        const opening = openingOf(game, line.map((text) => cellNamed(game, text)));
        assert.ok(opening, line.join(" "));
        names.add(opening.name);
      }
    }
  }
  assert.equal(names.size, 26);
});

test("other beginnings have none", () => {
  const cells = (game, line) => line.split(" ").map((text) => cellNamed(game, text));
  for (const [id, line] of [
    ["gomoku-15", "h8 h9"], ["gomoku-15", "h8 h10 h9"], ["gomoku-15", "g8 g9 g10"],
    ["gomoku-15", "h8 h9 h11"], ["gomoku-14", "h8 h9 h10"], ["pentago-swap", "c3 c4 c5"],
  ]) {
    const game = gameOf(id);
    assert.equal(openingOf(game, cells(game, line)), null, line);
  }
});
