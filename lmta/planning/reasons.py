"""What was found by thinking, in plain words."""

from collections.abc import Sequence
from math import floor, isfinite, log10

from lmta.planning.search import Standing
from lmta.problems.simulator import Candidate
from lmta.types import Idle, NodeId, Thinking, Tried

MOST_NAMED = 5


def reasons(thinking: Thinking) -> list[str]:
    """Why this strategy, why so many picks, what comes next, and what to expect; a sentence each."""
    if not thinking.tried:
        return ["There was no time to try anything else, so the rule decides."]
    chosen, *others = thinking.tried
    own = thinking.tried[thinking.own]
    told = [_why_this(chosen, own, others)]
    beside = _why_so_many(chosen, [tried for tried in others if tried is not own])
    if beside:
        told.append(f"{_capital(_joined(beside))}.")
    if others and others[0] is not own:
        told.append(f"The runner-up, {others[0].name}{_named(others[0])}, promises {_compared(others[0])}.")
    followed = thinking.closer or chosen
    if thinking.closer:
        gain = with_error(-followed.less, followed.less_error)
        told.append(f"A closer look finds {followed.name}, which promises {gain} more still, and is advised.")
    expected = with_error(followed.value, followed.value_error)
    told.append(f"Expected from today to the end: {expected}, by {thinking.rollouts:,} rollouts.")
    if thinking.idle is not None:
        told.append(_if_idle(thinking.idle))
    return told


def _why_this(chosen: Tried, own: Tried, others: Sequence[Tried]) -> str:
    """Whether it is what the rule says, and how sure that is."""
    if own is not chosen:
        return f"{_capital(chosen.name)} today; the rule says {own.name}{_named(own)}, which promises {_compared(own)}."
    is_best = all(tried.less >= 0 for tried in others)
    rest = "no other strategy does better" if is_best else "no other strategy is ahead by enough to be sure"
    return f"{_capital(chosen.name)} today, as the rule says; {rest}."


def _if_idle(idle: Idle) -> str:
    """What the future brings by itself."""
    if idle.high == 0:
        return "If nothing more is done, nothing more happens."
    return f"If nothing more is done: {idle.mean:.3g}, and {idle.low:.4g} to {idle.high:.4g} in nine of ten futures."


def _named(tried: Tried) -> str:
    """What a strategy would pick, where that can be said in a few words."""
    return f" ({names_of(tried.nodes)})" if tried.nodes else ""


def names_of(nodes: Sequence[NodeId], most: int = MOST_NAMED) -> str:
    """The first of some nodes, and how many more there are."""
    more = len(nodes) - most
    return ", ".join(map(str, nodes[:most])) + (f" and {more} more" if more > 0 else "")


def in_the_lead(standing: Standing, candidates: Sequence[Candidate]) -> str:
    """Which strategy leads so far, and by how much it is ahead of the rule's own."""
    margin = standing.margin
    known = standing.leading and isfinite(margin.mean) and isfinite(margin.error)
    return candidates[standing.leading].name + (f", {with_error(*margin, sign='+')}" if known else "")


def _why_so_many(chosen: Tried, others: list[Tried]) -> list[str]:
    """What one pick more, one fewer and none at all would mean today."""
    wanted = {chosen.num_picks + 1: "one more today", chosen.num_picks - 1: "one fewer", 0: "waiting"}
    best: dict[int, Tried] = {}
    for tried in others:
        if tried.num_picks in wanted:
            best.setdefault(tried.num_picks, tried)
    return [f"{words} promises {_compared(best[count])}" for count, words in wanted.items() if count in best]


def _compared(tried: Tried) -> str:
    """How much less it promises than what was chosen; more, where the evidence for it was too thin."""
    if abs(tried.less) < tried.less_error:
        return f"about the same ({with_error(-tried.less, tried.less_error, '+')})"
    return f"{with_error(abs(tried.less), tried.less_error)} {'less' if tried.less > 0 else 'more'}"


def with_error(number: float, error: float, sign: str = "") -> str:
    """A number as exactly as its error allows, and no more than to the third decimal: 3.1 ± 0.4."""
    digits = min(max(0, -floor(log10(error))), 3) if error > 0 else 1
    return f"{number:{sign}.{digits}f} ± {error:.{digits}f}"


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
