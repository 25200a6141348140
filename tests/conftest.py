"""Hypothesis for everyone: the same examples every time, and no deadline, since a first call compiles.

`pytest --hypothesis-profile explore` looks further, with new examples each time.
"""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile("steady")
