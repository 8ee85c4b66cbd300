"""How many live searches one client may ask for in a time."""

import time
from collections.abc import Callable

from limits import parse
from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from engine.errors import InvalidOptions
from service.errors import TooManySearches


class SearchRate:
    """Lets each client ask for so many live searches, `rate` being a text such as `30/minute`.

    They are counted in `storage`: `memory://` is that of one worker; all workers and machines may
    share a server, as by `redis://HOST`.

    Raises:
        InvalidOptions: if one of the two cannot be understood or had.
    """

    def __init__(self, rate: str, storage: str, client: Callable[[], str]) -> None:
        try:
            self._limit = parse(rate)
        except ValueError as error:
            raise InvalidOptions(f"live-rate '{rate}' is no rate, such as 30/minute") from error
        try:
            self._limiter = MovingWindowRateLimiter(storage_from_string(storage))
        except (ConfigurationError, NotImplementedError) as error:
            raise InvalidOptions(f"rate-storage '{storage}' cannot be used: {error}") from error
        self._client = client

    def check(self) -> None:
        """Count a live search for whoever asks now.

        Raises:
            TooManySearches: if there were too many.
        """
        client = self._client()
        if not self._limiter.hit(self._limit, client):
            reset = self._limiter.get_window_stats(self._limit, client).reset_time
            raise TooManySearches(
                f"no more than {self._limit} live searches for one client: ask again later, or "
                "for book answers only",
                reset - time.time(),
            )
