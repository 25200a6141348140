"""The words of the API: what is sent and what is answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, StringConstraints

Id = StrictInt | StrictStr
"""A node or a city as the data have it; a number may also be given as text."""
PlanId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
PolicyName = Annotated[str, Field(max_length=100, examples=["average-lookahead"])]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
KindName = Literal["campaign", "tour"]


class Problem(BaseModel):
    """Why a request was refused, in one sentence."""

    detail: str


class SampleOut(BaseModel):
    """Data to begin with."""

    name: str
    title: str
    kind: KindName
    days: int
    budget: int
    directed: bool
    description: str


class BinOut(BaseModel):
    """A bar of a histogram."""

    low: float
    high: float
    count: int


class PreviewOut(BaseModel):
    """What uploaded data hold; `errors` is empty where they can be used."""

    kind: KindName
    filename: str
    nodes: int
    edges: int
    histogram: list[BinOut]
    """Of degrees (campaign) or profits (tour)."""
    first_ids: list[Id]
    errors: list[str]
    warnings: list[str]


class PlanOut(BaseModel):
    """Where a campaign or a tour stands."""

    id: PlanId
    title: str
    kind: KindName
    created: str
    policy: str
    seed: int
    day: int
    """The day that comes next."""
    days: int
    budget: int
    budget_left: int
    finished: bool
    result: float
    """Nodes reached, or profit earned."""


class NewPlanOut(BaseModel):
    """What was begun, and what to mind about its data."""

    plan: PlanOut
    warnings: list[str]


class PlanChange(BaseModel):
    """Another title, policy or seed from now on."""

    model_config = ConfigDict(extra="forbid")
    title: Title | None = None
    policy: PolicyName | None = None
    seed: Seed | None = None


class PickOut(BaseModel):
    """A node or a city, its value in the policy's own measure, and what it adds to the result expected today."""

    id: Id
    value: float | None
    gain: float | None


class SubgoalOut(BaseModel):
    """What the search thinks of a subgoal: its share, and the reward expected from today on."""

    subgoal: int
    share: float | None
    value: float | None


class SearchOut(BaseModel):
    """What a search found; the subgoals with the largest share first."""

    subgoal: int
    value: float | None
    subgoals: list[SubgoalOut]


class AdviceOut(BaseModel):
    """What to do today, and why."""

    day: int
    policy: str
    seed: int
    budget: int
    budget_left: int
    picks: list[PickOut]
    alternatives: list[PickOut]
    """Legal picks that were not chosen, the best first, each in place of the last pick; their value is null where the
    policy's own measure is not that of the rule that ranks them."""
    ranked_by: str | None = None
    """The node rule that ranks the alternatives."""
    why: str
    milliseconds: float
    search: SearchOut | None


class CampaignReport(BaseModel):
    """A day of a campaign as it was."""

    model_config = ConfigDict(extra="forbid")
    day: int
    """The day that this is about, so that no day is reported twice."""
    seeded: list[Id] | None = None
    """Whom you seeded; without it, as advised."""
    failed: list[Id] = []
    """Those of them with whom it failed."""
    activated: list[Id]
    """Whom the cascade reached."""


class ProfitReport(BaseModel):
    """What a city will be worth tomorrow."""

    model_config = ConfigDict(extra="forbid")
    id: Id
    profit: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class TourReport(BaseModel):
    """A day of a tour as it was."""

    model_config = ConfigDict(extra="forbid")
    day: int
    """The day that this is about, so that no day is reported twice."""
    visited: list[Id] | None = None
    """The cities you visited, in order; without it, as advised."""
    closed: list[Id] = []
    """Those of them that were closed."""
    profits: list[ProfitReport]
    """Tomorrow's profits where they are known."""


class AdvisedOut(BaseModel):
    """What was advised for a day, and by whom."""

    policy: str
    budget: int
    ids: list[Id]


class DayOut(BaseModel):
    """A day as it is noted, and what contradicts the model of the world."""

    number: int
    advised: AdvisedOut | None
    """null where nobody asked."""
    report: dict[str, Any]
    warnings: list[str]
    result: float
    """Up to the end of that day."""
    reported: str


class DayAccepted(BaseModel):
    """The day as it was noted, and where things stand now."""

    day: DayOut
    plan: PlanOut


class ForecastRequest(BaseModel):
    """Which policies to look ahead with, and how many futures to draw."""

    model_config = ConfigDict(extra="forbid")
    policies: Annotated[list[PolicyName], Field(max_length=8)] = []
    """The plan's own policy where none is named."""
    futures: Annotated[int, Field(ge=2, le=2_000)] = 100
    seed: Seed = 0


class Expected(BaseModel):
    """The mean over the futures, and the interval in which nine of ten lie."""

    mean: float
    low: float
    high: float


class PolicyForecast(Expected):
    """The final result under a policy, and the result at the end of each day from today on."""

    policy: str
    by_day: list[Expected]


class ForecastResult(BaseModel):
    """What came out; every policy met the same noise."""

    day: int
    """The day from which on."""
    now: float
    """The result so far."""
    policies: list[PolicyForecast]


class ForecastOut(BaseModel):
    """A job and how it stands."""

    id: PlanId
    created: str
    day: int
    policies: list[str]
    futures: int
    seed: int
    status: Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
    progress: float
    error: str | None
    result: ForecastResult | None


class Export(BaseModel):
    """Everything about a campaign or a tour."""

    plan: PlanOut
    settings: dict[str, Any]
    history: list[DayOut]
    advice: AdviceOut | None
    forecasts: list[ForecastOut]
