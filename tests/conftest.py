"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# The same tests every time, and none that a slow machine fails.
settings.register_profile(
    "fivebook",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fivebook")
