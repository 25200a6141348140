"""The quantities that the theory speaks of (App. A), measured on rollouts and on forced executions."""

import math
from dataclasses import dataclass

import numpy as np

from lmta.agents.lmta.settings import LmtaSettings
from lmta.diagnostics.lmta.latents import Executions, Traces
from lmta.diagnostics.statistics import mean_where_known


@dataclass(frozen=True)
class Cap:
    """Exceedances (d - κ)₊ of primitive steps."""

    steps: int
    distance: float
    """Mean latent distance of a step."""
    root_mean_square: float
    """ε_cap, the root of the population cap risk."""
    largest: float
    """The largest exceedance seen: what the assumption asks for almost surely is at least this."""


@dataclass(frozen=True)
class Error:
    """Sizes of an error over pairs of state and subgoal."""

    mean: float
    p95: float
    largest: float
    """The supremum that the assumption speaks of, over the pairs seen."""


@dataclass(frozen=True)
class SubgoalBound:
    """What the margin promises of a subgoal's duration, beside what was measured."""

    margin: float
    push_residual: float
    """E[ρ(s, z)], ρ = (m(z) - d(s, z))₊."""
    lower_bound: float
    """With the supremum of the model error, as the proposition has it."""
    lower_bound_mean: float
    """With the mean model error of this subgoal, which is enough for the mean over states."""
    mean_duration: float


@dataclass(frozen=True)
class Discount:
    """What a fixed discount a decision costs beside γ_LL^τ (proposition on decision-time discounts)."""

    reference_duration: float
    """The μ̄ with γ = γ_LL^μ̄."""
    largest_value: float
    """V_max: the largest absolute value that search or value head gave."""
    bound: Error
    gap: Error
    """|E[(γ_LL^τ - γ) V(s⁺)]| with the value head's V."""


@dataclass(frozen=True)
class Theory:
    """App. A in numbers."""

    cap_distance: float
    """κ."""
    cap: Cap
    cap_within_day: Cap
    cap_across_days: Cap
    """Of the last picks of days, which lead to the next day's state."""
    model_error: Error
    """ε_dyn; pairs whose day is the last have no next decision and are left out."""
    unroll_error: tuple[float, ...]
    """Mean distance between model and truth after 1, 2, … steps along the decisions played."""
    reward_error: Error
    """ε_R."""
    reward_noise: float
    """Root mean square standard error of the measured mean rewards, which ε_R contains."""
    without_step: float
    """Share of forced runs with τ = 0: the day moves the latent although no primitive step is made."""
    macro_micro_holds: float
    """Share of pairs with E[d(h(s), h(s⁺))] ≤ E[τ] (κ + ε_cap)."""
    bounds: tuple[SubgoalBound, ...]
    discount: Discount


def measure_theory(
    settings: LmtaSettings,
    traces: Traces,
    executed: np.ndarray,
    executions: Executions,
    goes_on: np.ndarray,
    margins: np.ndarray,
) -> Theory:
    """All quantities; `executed` are the durations of the episodes, and `goes_on` says which of the states where
    subgoals were forced have a decision after them."""
    kappa = settings.loss.cap_distance
    step = np.asarray(traces.step_distance)
    made, last = steps_made(executed, step.shape[-1])
    cap = cap_risk(step[made], kappa)
    duration, distance = np.asarray(executions.duration), np.asarray(executions.distance)
    mean_duration = duration.mean(axis=2)
    model_error = np.asarray(executions.model_error).mean(axis=2)[goes_on]
    reward = np.asarray(executions.reward)
    chord = np.asarray(executions.chord).mean(axis=2)[goes_on]
    reach = mean_duration[goes_on] * (kappa + cap.root_mean_square)
    unroll = np.asarray(traces.unroll_error)
    return Theory(
        cap_distance=kappa,
        cap=cap,
        cap_within_day=cap_risk(step[made & ~last], kappa),
        cap_across_days=cap_risk(step[last], kappa),
        model_error=error_of(model_error),
        unroll_error=tuple(mean_where_known(unroll[..., depth]) for depth in range(unroll.shape[-1] - 1)),
        reward_error=error_of(np.abs(reward.mean(axis=2) - np.asarray(executions.predicted_reward))),
        reward_noise=noise_of_means(reward),
        without_step=float(np.mean(duration == 0)),
        macro_micro_holds=float(np.mean(chord <= reach + 1e-6)) if chord.size else math.nan,
        bounds=duration_bounds(margins, distance, model_error, mean_duration, kappa + cap.root_mean_square),
        discount=_discount(settings, traces, executions),
    )


def steps_made(num_picks: np.ndarray, max_picks: int) -> tuple[np.ndarray, np.ndarray]:
    """(which picks were made, which of them were the last of a day)."""
    index = np.arange(max_picks)
    return index < num_picks[..., None], index == num_picks[..., None] - 1


def cap_risk(distance: np.ndarray, kappa: float) -> Cap:
    """ε_cap² = E[(d - κ)₊²] (assumption on cap-risk control, from the Pull term)."""
    if distance.size == 0:
        return Cap(0, math.nan, math.nan, math.nan)
    excess = np.maximum(distance - kappa, 0.0)
    return Cap(distance.size, float(distance.mean()), float(np.sqrt(np.mean(excess**2))), float(excess.max()))


def error_of(errors: np.ndarray) -> Error:
    """Mean, 95th percentile and largest; NaN where there are none."""
    if errors.size == 0:
        return Error(math.nan, math.nan, math.nan)
    return Error(float(errors.mean()), float(np.percentile(errors, 95)), float(errors.max()))


def noise_of_means(runs: np.ndarray) -> float:
    """The root mean square standard error of means over the last axis."""
    count = runs.shape[-1]
    return float(np.sqrt(np.mean(runs.var(axis=-1, ddof=1) / count))) if count > 1 else math.nan


def duration_bounds(
    margins: np.ndarray, distance: np.ndarray, model_error: np.ndarray, mean_duration: np.ndarray, reach: float
) -> tuple[SubgoalBound, ...]:
    """E[μ̄(s, z)] ≥ (m(z) - E[ρ(s, z)] - ε̄) / (κ + ε_cap) (population corollary of the duration bound).

    All but the margins have a row for each state; `reach` is κ + ε_cap.
    """
    residual = np.maximum(margins - distance, 0.0).mean(axis=0)
    worst = model_error.max() if model_error.size else math.nan
    mean_error = model_error.mean(axis=0) if model_error.size else np.full(len(margins), math.nan)
    columns = (
        margins,
        residual,
        (margins - residual - worst) / reach,
        (margins - residual - mean_error) / reach,
        mean_duration.mean(axis=0),
    )
    return tuple(SubgoalBound(*map(float, row)) for row in zip(*columns, strict=True))


def reference_duration(discount: float, low_discount: float) -> float:
    """The μ̄ with γ = γ_LL^μ̄; NaN where there is none."""
    if discount == low_discount:
        return 1.0
    return math.nan if low_discount == 1 else math.log(discount) / math.log(low_discount)


def discount_bound(duration: np.ndarray, low_discount: float, reference: float, largest_value: float) -> np.ndarray:
    """V_max |log γ_LL| √(Var τ + (μ - μ̄)²), with runs on the last axis."""
    spread = np.sqrt(duration.var(axis=-1) + (duration.mean(axis=-1) - reference) ** 2)
    return largest_value * abs(math.log(low_discount)) * spread


def _discount(settings: LmtaSettings, traces: Traces, executions: Executions) -> Discount:
    low, high = settings.train.low_discount, settings.search.discount
    duration, value = np.asarray(executions.duration), np.asarray(executions.next_value)
    seen = (value, np.asarray(traces.search_value), np.asarray(traces.value))
    largest = max(float(np.abs(values).max()) for values in seen)
    reference = reference_duration(high, low)
    gap = np.abs(np.mean((low**duration - high) * value, axis=-1))
    return Discount(reference, largest, error_of(discount_bound(duration, low, reference, largest)), error_of(gap))
