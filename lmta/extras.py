"""What only some users need comes as an extra; where it is missing, one sentence names it."""

from lmta.types import InputError

EXTRAS = {
    "fastapi": "serve",
    "fastapi_offline": "serve",
    "gymnasium": "gym",
    "matplotlib": "plot",
    "mctx": "train",
    "multipart": "serve",
    "nicegui": "serve",
    "optax": "train",
    "ortools": "bench",
    "pyvrp": "bench",
    "ray": "ray",
    "tensorboardX": "train",
    "uvicorn": "serve",
}
"""The extra that brings each optional package."""


def missing(error: ModuleNotFoundError) -> InputError | ModuleNotFoundError:
    """The error in a sentence with the extra's name, or as it is where no extra brings the module."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return error
    return InputError(f"{package} is not installed; it comes with: pip install 'lmta[{EXTRAS[package]}]'")
