// Reads compact books of fivebook, whose format is in docs/compact.md, in a browser, Node or Deno.
//
//   const book = await CompactBook.fetch("gomoku.fbc");
//   const answer = book.find([book.cell("h8")], [book.cell("i9")]);
//   if (answer) console.log(book.name(answer.move), answer.value, answer.proven);
//
// In Node: new CompactBook(readFileSync("gomoku.fbc")). What is wrong with a file is told by an Error.

const HEADER_BYTES = 40;
const MOST_CELLS = 26 * 26;
const BOUNDS = ["exact", "lower", "upper"];

export class CompactBook {
  // `bytes` is all of a file, an ArrayBuffer or a Uint8Array. It is not copied where keys and
  // answers begin at a multiple of four bytes.
  constructor(bytes) {
    if (bytes instanceof ArrayBuffer) bytes = new Uint8Array(bytes);
    if (bytes.byteOffset % 4) bytes = bytes.slice();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = (start, end) => new TextDecoder().decode(bytes.subarray(start, end));
    require(bytes.length >= HEADER_BYTES && text(0, 8) === "FIVEBOOK", "no compact book");
    require(view.getUint32(8, true) === 1, "a compact book of another version");
    const start = view.getUint32(12, true);
    this.size = Number(view.getBigUint64(16, true));
    this.width = view.getUint16(32, true);
    this.height = view.getUint16(34, true);
    // How many moves put a stone on one cell: a move is cell * variants + variant.
    this.variants = view.getUint8(36);
    this.cells = this.width * this.height;
    const turns = view.getUint8(37);
    const textStart = start - view.getUint16(38, true);
    require(this.cells && this.cells <= MOST_CELLS && this.variants && turns && turns <= 8
      && HEADER_BYTES + turns * (1 + this.variants) <= textStart && start % 8 === 0
      && bytes.length === start + 12 * this.size, "a damaged compact book");
    const numbers = bytes.byteOffset + start;
    // Each key is two numbers, the lower half first.
    this.keys = new Uint32Array(bytes.buffer, numbers, 2 * this.size);
    this.answers = new Uint32Array(bytes.buffer, numbers + 8 * this.size, this.size);
    // Each line ends with a line feed.
    [this.game, ...this.names] = text(textStart, start).split("\n").slice(0, -1);
    require(this.names.length === this.variants, "a damaged compact book");
    const symmetries = bytes.subarray(HEADER_BYTES, HEADER_BYTES + turns);
    this.turns = Array.from(symmetries, (symmetry, at) => {
      const first = HEADER_BYTES + turns + at * this.variants;
      return this.turn(symmetry, bytes.subarray(first, first + this.variants));
    });
    this.numbers = stoneNumbers(this.game, view.getBigUint64(24, true), 2 * this.cells);
  }

  static async fetch(address, options) {
    const response = await fetch(address, options);
    require(response.ok, `no compact book: status ${response.status}`);
    return new CompactBook(await response.arrayBuffer());
  }

  // What the book says of a position, by the cells of its dark and light stones: { move, value,
  // bound, proven }, in its own orientation; null if the book does not hold it. `value` is for
  // the side to move: centi-units, a win in n plies 30000 - n, a loss n - 30000. `proven` is a
  // hint: the file does not hold what would prove it.
  find(dark, light) {
    const { turn, stones } = this.smallestImage(dark, light);
    const place = this.placeOf(this.keyOf(stones, dark.length));
    if (place < 0) return null;
    const answer = this.answers[place];
    const move = (answer >>> 16) & 0x1fff, bound = BOUNDS[(answer >>> 29) & 3];
    require(move < this.cells * this.variants && bound, "a damaged answer");
    const cell = turn.cellBack[Math.floor(move / this.variants)];
    return {
      move: cell * this.variants + turn.variantBack[move % this.variants],
      value: (answer << 16) >> 16, bound, proven: answer >>> 31 === 1,
    };
  }

  // The key of a position, which is that of all its images, as a BigInt.
  key(dark, light) {
    const [low, high] = this.keyOf(this.smallestImage(dark, light).stones, dark.length);
    return (BigInt(high) << 32n) | BigInt(low);
  }

  // The move in fivebook's notation, such as h8 or b2:13.
  name(move) {
    return this.cellName(Math.floor(move / this.variants)) + this.names[move % this.variants];
  }

  cellName(cell) {
    const column = String.fromCharCode(97 + cell % this.width);
    return column + (Math.floor(cell / this.width) + 1);
  }

  // The cell of a name such as h8, -1 if there is none.
  cell(name) {
    for (let cell = 0; cell < this.cells; cell++) if (this.cellName(cell) === name) return cell;
    return -1;
  }

  // A symmetry: where each cell goes, and what comes to each cell and becomes each variant.
  turn(symmetry, variants) {
    require(symmetry < 8 && (symmetry % 2 === 0 || this.width === this.height),
      "a damaged compact book");
    const cellTo = [], cellBack = [], variantBack = [];
    for (let cell = 0; cell < this.cells; cell++) {
      cellTo.push(this.turned(cell, symmetry));
      cellBack[cellTo[cell]] = cell;
    }
    variants.forEach((image, variant) => { variantBack[image] = variant; });
    require(Object.keys(variantBack).length === this.variants
      && variantBack.length === this.variants, "a damaged compact book");
    return { cellTo, cellBack, variantBack };
  }

  // Mirrored left to right from symmetry 4 on, then given symmetry % 4 quarter turns.
  turned(cell, symmetry) {
    let { width, height } = this, row = Math.floor(cell / width), column = cell % width;
    if (symmetry >= 4) column = width - 1 - column;
    for (let quarter = 0; quarter < symmetry % 4; quarter++) {
      [row, column] = [column, height - 1 - row];
      [width, height] = [height, width];
    }
    return row * this.width + column;
  }

  // The smallest image, dark cells then light ones, both ascending, and the first turn to it.
  smallestImage(dark, light) {
    let least = null;
    for (const turn of this.turns) {
      const image = (cells) => cells.map((cell) => turn.cellTo[cell]).sort((a, b) => a - b);
      const stones = [...image(dark), ...image(light)];
      if (!least || isLess(stones, least.stones)) least = { turn, stones };
    }
    return least;
  }

  keyOf(stones, darkCount) {
    let low = 0, high = 0;
    stones.forEach((cell, at) => {
      const number = 2 * (2 * cell + (at < darkCount ? 0 : 1));
      low ^= this.numbers[number];
      high ^= this.numbers[number + 1];
    });
    return [low >>> 0, high >>> 0];
  }

  placeOf([low, high]) {
    let first = 0, end = this.size;
    while (first < end) {
      const middle = Math.floor((first + end) / 2), difference = this.keys[2 * middle + 1] - high;
      if (difference < 0 || (difference === 0 && this.keys[2 * middle] < low)) first = middle + 1;
      else end = middle;
    }
    const isThere = first < this.size
      && this.keys[2 * first] === low && this.keys[2 * first + 1] === high;
    return isThere ? first : -1;
  }
}

// A number for each stone, drawn by SplitMix64 from the FNV-1a hash of the game's id on; each is
// two of 32 bits, the lower half first.
function stoneNumbers(game, salt, count) {
  const numbers = new Uint32Array(2 * count);
  const whole = (number) => BigInt.asUintN(64, number);
  let seed = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(game)) {
    seed = whole((seed ^ BigInt(byte)) * 0x100000001b3n);
  }
  seed += salt;
  for (let at = 0; at < count; at++) {
    let number = seed = whole(seed + 0x9e3779b97f4a7c15n);
    number = whole((number ^ (number >> 30n)) * 0xbf58476d1ce4e5b9n);
    number = whole((number ^ (number >> 27n)) * 0x94d049bb133111ebn);
    number ^= number >> 31n;
    numbers[2 * at] = Number(number & 0xffffffffn);
    numbers[2 * at + 1] = Number(number >> 32n);
  }
  return numbers;
}

function isLess(one, other) {
  const at = one.findIndex((cell, place) => cell !== other[place]);
  return at >= 0 && one[at] < other[at];
}

function require(right, wrong) {
  if (!right) throw new Error(wrong);
}
