// Reads compact books of fivebook, whose format is in docs/compact.md. C++17, no other library.
//
//   fivebook::CompactBook book("gomoku.fbc");
//   fivebook::Board dark, light;
//   dark.set(book.cell("h8"));
//   if (auto answer = book.find(dark, light)) std::cout << book.name(answer->move);
//
// A book that is open may be asked by any number of threads. What is wrong with a file is told by a
// std::runtime_error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define FIVEBOOK_MAPS_FILES
#endif

namespace fivebook {

constexpr int most_cells = 26 * 26;

// A set of cells. A cell is row * width + column, both counted from 0 at the bottom left.
struct Board {
  std::array<std::uint64_t, (most_cells + 63) / 64> words{};

  void set(int cell) { words[cell / 64] |= std::uint64_t(1) << cell % 64; }
  bool has(int cell) const { return words[cell / 64] >> cell % 64 & 1; }
};

enum class Bound { exact, lower, upper };

// `value` is for the side to move: centi-units, a win in n plies 30000 - n, a loss n - 30000.
// `proven` is a hint: the file does not hold what would prove it.
struct Answer {
  int move;
  int value;
  Bound bound;
  bool proven;
};

// The bytes of a file, mapped into memory where the system can do that.
class File {
 public:
  explicit File(const std::string& path) {
#ifdef FIVEBOOK_MAPS_FILES
    const int number = open(path.c_str(), O_RDONLY);
    struct stat found;
    if (number >= 0 && fstat(number, &found) == 0 && found.st_size > 0) {
      size_ = static_cast<std::size_t>(found.st_size);
      void* start = mmap(nullptr, size_, PROT_READ, MAP_SHARED, number, 0);
      if (start != MAP_FAILED) data_ = static_cast<const unsigned char*>(start);
    }
    if (number >= 0) close(number);
#else
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    size_ = bytes_.size();
    if (size_) data_ = reinterpret_cast<const unsigned char*>(bytes_.data());
#endif
    if (!data_) throw std::runtime_error("cannot read '" + path + "'");
  }
  ~File() {
#ifdef FIVEBOOK_MAPS_FILES
    munmap(const_cast<unsigned char*>(data_), size_);
#endif
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
#ifndef FIVEBOOK_MAPS_FILES
  std::vector<char> bytes_;
#endif
};

class CompactBook {
 public:
  explicit CompactBook(const std::string& path) : file_(path) {
    require(file_.size() >= header_bytes && !std::memcmp(file_.data(), "FIVEBOOK", 8),
            path + " is no compact book");
    require(load<std::uint32_t>(8) == 1, path + " is of another version of compact books");
    const std::size_t start = load<std::uint32_t>(12);
    count_ = load<std::uint64_t>(16);
    width_ = load<std::uint16_t>(32);
    height_ = load<std::uint16_t>(34);
    variants_ = load<std::uint8_t>(36);
    const std::size_t turns = load<std::uint8_t>(37);
    const std::size_t text_bytes = load<std::uint16_t>(38);
    require(width_ && height_ && variants_ && cells() <= most_cells && turns && turns <= 8 &&
                header_bytes + turns * (1 + variants_) + text_bytes <= start &&
                start <= file_.size() && count_ == (file_.size() - start) / 12 &&
                (file_.size() - start) % 12 == 0,
            path + " is damaged");
    keys_ = start;
    answers_ = start + 8 * count_;
    const char* end = reinterpret_cast<const char*>(file_.data()) + start;
    std::istringstream text(std::string(end - text_bytes, end));
    for (std::string line; std::getline(text, line);) names_.push_back(line);
    require(names_.size() == static_cast<std::size_t>(variants_) + 1, path + " is damaged");
    for (std::size_t at = 0; at < turns; at++) add_turn(path, at, turns);
    make_numbers(load<std::uint64_t>(24));
  }

  const std::string& game() const { return names_[0]; }
  std::size_t size() const { return count_; }
  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  // Of a move: where its stone goes, and what is done besides, from 0 to variants() - 1.
  int variants() const { return variants_; }
  int cell(int move) const { return move / variants_; }
  int variant(int move) const { return move % variants_; }

  // The move in fivebook's notation, such as h8 or b2:13.
  std::string name(int move) const { return cell_name(cell(move)) + names_[1 + variant(move)]; }
  std::string cell_name(int cell) const {
    return char('a' + cell % width_) + std::to_string(cell / width_ + 1);
  }
  // The cell of a name such as h8, -1 if there is none.
  int cell(const std::string& name) const {
    int cell = cells() - 1;
    while (cell >= 0 && cell_name(cell) != name) cell--;
    return cell;
  }

  // What the book says of a position, in its own orientation; nothing if it does not hold it.
  std::optional<Answer> find(const Board& dark, const Board& light) const {
    const Turn* turn = nullptr;
    const std::optional<std::size_t> at = place_of(key(dark, light, &turn));
    if (!at) return std::nullopt;
    const std::uint32_t answer = load<std::uint32_t>(answers_ + 4 * *at);
    const int move = answer >> 16 & 0x1FFF, bound = answer >> 29 & 3;
    if (move >= cells() * variants_ || bound == 3) throw std::runtime_error("a damaged answer");
    const int back = turn->cell_back[cell(move)] * variants_ + turn->variant_back[variant(move)];
    return Answer{back, static_cast<std::int16_t>(answer & 0xFFFF), static_cast<Bound>(bound),
                  static_cast<bool>(answer >> 31)};
  }
  // The key of a position, which is that of all its images.
  std::uint64_t key(const Board& dark, const Board& light) const {
    const Turn* turn = nullptr;
    return key(dark, light, &turn);
  }

 private:
  static constexpr std::size_t header_bytes = 40;
  // A symmetry: where each cell goes, and what comes to each cell and becomes each variant.
  struct Turn {
    std::vector<std::uint16_t> cell_to, cell_back;
    std::vector<std::uint8_t> variant_back;
  };
  // The cells of stones, dark ones first.
  struct Stones {
    std::array<std::uint16_t, 2 * most_cells> cells;
    int dark = 0, all = 0;
  };
  // The words of two boards, dark and then light, no more of them than the game's board has.
  using Image = std::array<std::uint64_t, 2 * sizeof(Board) / 8>;

  static void require(bool right, const std::string& wrong) {
    if (!right) throw std::runtime_error(wrong);
  }
  template <typename Number>
  Number load(std::size_t at) const {
    std::uint64_t number = 0;
    for (std::size_t byte = 0; byte < sizeof(Number); byte++)
      number |= std::uint64_t(file_.data()[at + byte]) << 8 * byte;
    return static_cast<Number>(number);
  }

  void add_turn(const std::string& path, std::size_t at, std::size_t turns) {
    const int symmetry = load<std::uint8_t>(header_bytes + at);
    require(symmetry < 8 && (symmetry % 2 == 0 || width_ == height_), path + " is damaged");
    Turn turn{std::vector<std::uint16_t>(cells()), std::vector<std::uint16_t>(cells()),
              std::vector<std::uint8_t>(variants_)};
    for (int cell = 0; cell < cells(); cell++) {
      const int image = turned(cell, symmetry);
      turn.cell_to[cell] = static_cast<std::uint16_t>(image);
      turn.cell_back[image] = static_cast<std::uint16_t>(cell);
    }
    for (int variant = 0; variant < variants_; variant++) {
      const int image = load<std::uint8_t>(header_bytes + turns + at * variants_ + variant);
      require(image < variants_, path + " is damaged");
      turn.variant_back[image] = static_cast<std::uint8_t>(variant);
    }
    turns_.push_back(std::move(turn));
  }

  // Mirrored left to right from symmetry 4 on, then given symmetry % 4 quarter turns.
  int turned(int cell, int symmetry) const {
    int row = cell / width_, column = cell % width_, width = width_, height = height_;
    if (symmetry >= 4) column = width - 1 - column;
    for (int quarter = 0; quarter < symmetry % 4; quarter++, std::swap(width, height))
      row = std::exchange(column, height - 1 - row);
    return row * width_ + column;
  }

  // FNV-1a of the game's id, from which SplitMix64 draws a number for each stone.
  void make_numbers(std::uint64_t salt) {
    std::uint64_t seed = 0xCBF29CE484222325;
    for (const unsigned char byte : game()) seed = (seed ^ byte) * 0x100000001B3;
    seed += salt;
    for (int at = 0; at < 2 * cells(); at++) {
      std::uint64_t number = seed += 0x9E3779B97F4A7C15;
      number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
      number = (number ^ number >> 27) * 0x94D049BB133111EB;
      numbers_.push_back(number ^ number >> 31);
    }
  }

  int words() const { return (cells() + 63) / 64; }
  void add_cells(const Board& board, Stones& stones) const {
    for (int word = 0; word < words(); word++)
      for (std::uint64_t left = board.words[word]; left; left &= left - 1) {
        const int cell = 64 * word + std::ilogb(static_cast<double>(left & (~left + 1)));
        if (cell < cells()) stones.cells[stones.all++] = static_cast<std::uint16_t>(cell);
      }
  }

  // Of two images that one is less which has the lowest cell that is not in both.
  bool is_less(const Image& one, const Image& other) const {
    for (int at = 0; at < 2 * words(); at++)
      if (const std::uint64_t different = one[at] ^ other[at])
        return one[at] & different & (~different + 1);
    return false;
  }

  // The first symmetry that makes the image smallest is told by `turn`, which is null before.
  std::uint64_t key(const Board& dark, const Board& light, const Turn** turn) const {
    Stones stones;
    add_cells(dark, stones);
    stones.dark = stones.all;
    add_cells(light, stones);
    Image images[2], *least = &images[0], *image = &images[1];
    for (const Turn& other : turns_) {
      std::fill_n(image->begin(), 2 * words(), 0);
      for (int at = 0; at < stones.all; at++) {
        const int bit = other.cell_to[stones.cells[at]] + (at < stones.dark ? 0 : 64 * words());
        (*image)[bit / 64] |= std::uint64_t(1) << bit % 64;
      }
      if (*turn && !is_less(*image, *least)) continue;
      std::swap(image, least);
      *turn = &other;
    }
    std::uint64_t key = 0;
    for (int at = 0; at < stones.all; at++)
      key ^= numbers_[2 * (*turn)->cell_to[stones.cells[at]] + (at >= stones.dark)];
    return key;
  }

  // Where a key stands. Keys are random: a few steps lead to it from where it would be if they lay
  // evenly. Those of a file that is not honest are found by halves.
  std::optional<std::size_t> place_of(std::uint64_t key) const {
    const double keys_apart = 18446744073709551616.0 / static_cast<double>(count_);
    std::size_t low = 0, high = count_;
    double guess = static_cast<double>(key) / keys_apart;
    for (int probes = 0; low < high; probes++) {
      const double last = static_cast<double>(high - 1);
      const auto at = probes > 16 ? low + (high - low) / 2
          : static_cast<std::size_t>(std::clamp(guess, static_cast<double>(low), last));
      const std::uint64_t there = key_at(at);
      if (there == key) return at;
      (there < key ? low : high) = there < key ? at + 1 : at;
      const double step = static_cast<double>(there < key ? key - there : there - key) / keys_apart;
      guess = static_cast<double>(at) + (there < key ? step : -step);
    }
    return std::nullopt;
  }
  std::uint64_t key_at(std::size_t at) const { return load<std::uint64_t>(keys_ + 8 * at); }

  File file_;
  std::size_t count_ = 0, keys_ = 0, answers_ = 0;
  int width_ = 0, height_ = 0, variants_ = 0;
  std::vector<std::string> names_;
  std::vector<Turn> turns_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace fivebook
