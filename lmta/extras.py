"""What `pip install lmta` leaves out, and the sentence that says how to get it."""

from importlib.util import find_spec

from lmta.types import InputError

EXTRAS = {
    "serve": ("fastapi", "fastapi_offline", "nicegui", "python_multipart", "uvicorn"),
    "plot": ("matplotlib",),
}
"""The modules that each extra brings."""


def require_extra(extra: str, what: str) -> None:
    """Refuse `what` where a module of the extra is not installed."""
    missing = [module for module in EXTRAS[extra] if find_spec(module) is None]
    if missing:
        raise InputError(f'{what} needs {", ".join(missing)}: pip install "lmta[{extra}]" brings it.')
