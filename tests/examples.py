"""How many examples the tests of properties look at."""

from hypothesis import settings

THOROUGH = "thorough"
"""The profile of hypothesis under which they look at all that they should."""


def examples(count: int) -> settings:
    """Look at `count` examples in `make test-slow`, and at a third of them in `make test`."""
    thorough = settings.get_current_profile_name() == THOROUGH
    return settings(max_examples=count if thorough else -(-count // 3))
