"""Random tests draw the same examples every time, and a slow machine is no reason to fail."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "assay", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("assay")
