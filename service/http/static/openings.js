/** The 26 openings of three stones, as the Renju International Federation numbers and names them. */

import { mapCell } from "./rules.js";

/** By number: the name, and the third stone as columns right of the first and rows above it. */
const DIRECT = [
  ["Kansei", "寒星", 0, 2], ["Keigetsu", "溪月", 1, 2], ["Sosei", "疏星", 2, 2],
  ["Kagetsu", "花月", 1, 1], ["Zangetsu", "残月", 2, 1], ["Ugetsu", "雨月", 1, 0],
  ["Kinsei", "金星", 2, 0], ["Shogetsu", "松月", 0, -1], ["Kyugetsu", "丘月", 1, -1],
  ["Shingetsu", "新月", 2, -1], ["Zuisei", "瑞星", 0, -2], ["Sangetsu", "山月", 1, -2],
  ["Yusei", "遊星", 2, -2],
];
const INDIRECT = [
  ["Chosei", "長星", 2, 2], ["Kyogetsu", "峡月", 2, 1], ["Kosei", "恒星", 2, 0],
  ["Suigetsu", "水月", 2, -1], ["Ryusei", "流星", 2, -2], ["Ungetsu", "雲月", 1, 0],
  ["Hogetsu", "浦月", 1, -1], ["Rangetsu", "嵐月", 1, -2], ["Gingetsu", "銀月", 0, -1],
  ["Myojo", "明星", 0, -2], ["Shagetsu", "斜月", -1, -1], ["Meigetsu", "名月", -1, -2],
  ["Suisei", "彗星", -2, -2],
];

/** @typedef {{code: string, name: string, kanji: string}} Opening */

/** Each opening by its second and third stone, where the first lies in the centre. */
const OPENINGS = new Map([
  ...named(DIRECT, "D", [0, 1]),
  ...named(INDIRECT, "I", [1, 1]),
]);

function* named(list, letter, second) {
  for (const [index, [name, kanji, ...third]] of list.entries()) {
    yield [`${second} ${third}`, { code: `${index + 1}${letter}`, name, kanji }];
  }
}

/**
 * The opening that a game on a board of odd size began with, in any orientation.
 *
 * @param {import("./rules.js").Game} game
 * @param {number[]} cells of its first three stones, in their order
 * @returns {Opening | null}
 */
export function openingOf(game, cells) {
  if (game.family !== "gomoku" || game.width % 2 === 0 || cells.length < 3) return null;
  const centre = (game.width - 1) / 2;
  if (cells[0] !== centre * game.width + centre) return null;
  for (const symmetry of game.symmetries) {
    const [second, third] = cells.slice(1, 3).map((cell) => {
      const image = mapCell(game, cell, symmetry);
      return [image % game.width - centre, Math.floor(image / game.width) - centre];
    });
    const opening = OPENINGS.get(`${second} ${third}`);
    if (opening) return opening;
  }
  return null;
}
