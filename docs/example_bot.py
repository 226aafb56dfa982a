"""A complete bot for kibitz: it plays random legal moves, in any game, and needs nothing but Python.

Try it: kibitz play uttt human "exec:python3 docs/example_bot.py"
"""

import random
import sys


def say(line: str) -> None:
    """Send a line at once; one that waits in a buffer is a bot that does not answer."""
    print(line, flush=True)  # noqa: T201  # this is how a bot speaks


def main() -> None:
    """Answer every line until quit, or until there are no more."""
    rng = random.Random()
    legal: list[str] = []
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "kibitz":
            say("id name example")
            say("ready")
        elif command == "seed":
            rng.seed(int(rest))
        elif command == "newgame":
            say("ready")
        elif command == "legal":
            legal = rest.split()
        elif command == "go":
            say(f"bestmove {rng.choice(legal)}")
        elif command == "quit":
            break


main()
