// Answers from the compact book of the first argument: a line for each line of positions, whose
// stones are numbers of cells, dark ones before a bar. Each line: key, move, its name, value, bound
// and proven, or the key alone. With a second argument, the nanoseconds of a lookup as well.
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <sstream>

#include "fivebook_compact.hpp"

struct Position {
  fivebook::Board dark, light;
};

static Position read(const std::string& line) {
  Position position;
  bool is_dark = true;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word == "|") is_dark = false;
    else (is_dark ? position.dark : position.light).set(std::stoi(word));
  }
  return position;
}

int main(int, char** arguments) try {
  const fivebook::CompactBook book(arguments[1]);
  std::vector<Position> positions;
  for (std::string line; std::getline(std::cin, line);) positions.push_back(read(line));
  const char* bounds[] = {"exact", "lower", "upper"};
  for (const Position& position : positions) {
    std::printf("%016" PRIx64, book.key(position.dark, position.light));
    if (const auto answer = book.find(position.dark, position.light))
      std::printf(" %d %s %d %s %d", answer->move, book.name(answer->move).c_str(), answer->value,
                  bounds[static_cast<int>(answer->bound)], answer->proven);
    std::printf("\n");
  }
  if (!arguments[2]) return 0;
  long found = 0;
  // Of this process alone: others on the machine do not count.
  const std::clock_t start = std::clock();
  for (const Position& position : positions)
    found += book.find(position.dark, position.light).has_value();
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%ld found, %.0f ns each\n", found, 1e9 * seconds / double(positions.size()));
} catch (const std::runtime_error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
