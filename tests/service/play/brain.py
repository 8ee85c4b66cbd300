"""A program that speaks the Gomocup protocol: random moves from a fixed seed.

Its one argument chooses a fault: `deaf` never answers a turn, `rude` answers nonsense, `refuse`
refuses every board, `mortal` ends instead of answering, `slow` takes a second for each move,
`greedy` takes 200 MiB. By swap2 it puts stones in a corner, and then chooses by its name: `swap`,
`add`, else it stays; `cheat` puts a stone where one is.
"""

import sys
from random import Random
from time import sleep

fault = sys.argv[1] if len(sys.argv) > 1 else ""
random = Random(7)
size, taken = 0, set()


def answer() -> None:
    if fault == "mortal":
        sys.exit()
    if fault == "deaf":
        return
    if fault == "slow":
        sleep(1)
    if fault == "rude":
        print("MESSAGE I will not", "never", sep="\n", flush=True)
        return
    free = [(x, y) for x in range(size) for y in range(size) if (x, y) not in taken]
    x, y = random.choice(free)
    taken.add((x, y))
    print(f"MESSAGE {len(free)} free", f"{x},{y}", sep="\n", flush=True)


def swap2(stones: list[str]) -> str:
    if fault == "cheat":
        return stones[0] if stones else "0,0 0,0 1,1"
    if not stones:
        return "0,0 1,0 3,2"
    if fault == "swap":
        return "SWAP"
    free = [f"{x},{y}" for x in range(size) for y in range(size) if f"{x},{y}" not in stones]
    return " ".join(random.sample(free, 2 if fault == "add" and len(stones) == 3 else 1))


if fault == "greedy":
    held = bytearray(b"x" * (200 << 20))
for line in map(str.strip, sys.stdin):
    print(line, file=sys.stderr, flush=True)
    command, _, rest = line.partition(" ")
    if command == "START":
        size, taken = int(rest), set()
        print("ERROR unsupported size" if fault == "refuse" else "OK", flush=True)
    elif command == "BEGIN":
        answer()
    elif command == "TURN":
        x, y = map(int, rest.split(","))
        taken.add((x, y))
        answer()
    elif command == "BOARD":
        while (stone := next(sys.stdin).strip()) != "DONE":
            print(stone, file=sys.stderr, flush=True)
            x, y, _ = map(int, stone.split(","))
            taken.add((x, y))
        answer()
    elif command == "SWAP2BOARD":
        stones = []
        while (stone := next(sys.stdin).strip()) != "DONE":
            x, y, _ = stone.split(",")
            stones.append(f"{x},{y}")
        print(swap2(stones), flush=True)
    elif command == "END":
        break
