"""The words of the API: what is sent and what is answered."""

from functools import cache
from typing import Annotated, Any, Literal

from fastapi import UploadFile
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, StringConstraints, create_model

from lmta.advisor.options import options_of
from lmta.problems.session import MAX_DAYS, ReportField
from lmta.problems.spec import Spec

Id = StrictInt | StrictStr
"""A node as the data have it; a number may also be given as text."""
LONGEST_TITLE = 200
PlanId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TITLE)]
PolicyName = Annotated[str, Field(max_length=100, examples=["average-lookahead"])]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Kind = Annotated[str, Field(max_length=100, examples=["campaign"])]
"""What users call a plan of a problem."""
SampleName = Annotated[str | None, Field(max_length=100, description="The name of a sample instead of a file.")]
OneFile = Annotated[UploadFile | None, Field(description="Your data; or name a sample.")]


class Problem(BaseModel):
    """Why a request was refused, in one sentence."""

    detail: str


class SampleOut(BaseModel):
    """Data to begin with."""

    name: str
    title: str
    kind: Kind
    days: int
    budget: int
    options: dict[str, Any]
    """Options that suit them; they count unless others are given."""
    description: str


class BinOut(BaseModel):
    """A bar of a histogram."""

    low: float
    high: float
    count: int


class PreviewOut(BaseModel):
    """What uploaded data hold; `errors` is empty where they can be used."""

    kind: Kind
    filename: str
    nodes: int
    nodes_name: str
    """What the nodes are, such as cities."""
    edges: int
    histogram: list[BinOut]
    histogram_of: str
    """What it counts, such as out-degree."""
    first_ids: list[Id]
    errors: list[str]
    warnings: list[str]


class PlanOut(BaseModel):
    """Where a plan stands."""

    id: PlanId
    title: str
    kind: Kind
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
    """What was earned so far, such as nodes reached."""


class PreviewForm(BaseModel):
    """Data to look at. The options by which the problem reads them are given by their names."""

    model_config = ConfigDict(extra="allow")
    kind: Kind
    file: OneFile = None
    sample: SampleName = None


class BeginForm(BaseModel):
    """What every plan is begun with."""

    model_config = ConfigDict(extra="forbid")
    days: Annotated[int, Field(ge=1, le=MAX_DAYS)]
    budget: Annotated[int, Field(ge=1, le=10_000_000)]
    file: OneFile = None
    sample: SampleName = None
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    policy: PolicyName | None = None
    seed: Seed = 0

    def options(self) -> dict[str, Any]:
        """The problem's own options that were given."""
        return {name: getattr(self, name) for name in self.model_fields_set - set(BeginForm.model_fields)}


@cache
def begin_form(spec: Spec) -> type[BeginForm]:
    """What a plan of a problem is begun with: the problem's own options come on top."""
    options = [option for part in (spec.own_data.options, spec.rules) for option in options_of(part)]
    own: dict[str, Any] = {
        option.name: (Annotated[option.type, Field(description=option.describe)], option.default) for option in options
    }
    return create_model(f"Begin{spec.session.__name__}", __base__=BeginForm, **own)


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
    """A node, its value in the policy's own measure, and what it adds to the result expected today."""

    id: Id
    value: float | None
    gain: float | None
    """null where the problem cannot say."""


class TriedOut(BaseModel):
    """A strategy for today as rollouts found it; errors are standard errors."""

    name: str
    picks: list[Id]
    promises: float | None
    """From today to the end."""
    promises_error: float | None
    less: float | None
    """Than the first, in the same worlds."""
    less_error: float | None
    rollouts: int


class AddsOut(BaseModel):
    """How much more the decision earns than without a pick, which is then kept for later."""

    mean: float | None
    error: float | None


class IdleOut(BaseModel):
    """From today to the end if nothing more is done; nine of ten futures lie between low and high."""

    mean: float
    low: float
    high: float


class ThinkingOut(BaseModel):
    """What rollouts told before the decision."""

    strategies: list[TriedOut]
    """The chosen one, the runner-up, and the others."""
    adds: list[AddsOut]
    """Of each pick, in their order; empty where there was no time to tell."""
    idle: IdleOut | None
    rollouts: int
    seconds: float


class AdviceOut(BaseModel):
    """What to do today, and why."""

    day: int
    policy: str
    seed: int
    budget: int
    budget_left: int
    picks: list[PickOut]
    alternatives: list[PickOut]
    """Who comes next in place of the last pick, the best first, in the measure by which that was chosen: as much as one
    falls short in it, so much lower is its value. There are none where the policy has no such measure."""
    ranked_by: str | None = None
    """The node rule that ranks the alternatives; null where there are none."""
    why: str
    thinking: ThinkingOut | None = None
    """null for those that do not think."""
    milliseconds: float


class AnyReport(BaseModel):
    """A day as it was."""

    model_config = ConfigDict(extra="forbid")
    day: int
    """The day that this is about, so that no day is reported twice."""


@cache
def report_model(spec: Spec) -> type[AnyReport]:
    """The report of a day of a problem. What was done may be left out where it is what was advised."""
    name = f"{spec.session.__name__}Report"
    parts: dict[str, Any] = {}
    for field in spec.session.report_fields:
        items = list[_number_model(field, name)] if field.has_numbers else list[Id]
        of_role = {"done": (items | None, None), "failed": (items, []), "observed": (items, ...)}
        described, default = of_role[field.role]
        parts[field.name] = (Annotated[described, Field(description=field.describe)], default)
    return create_model(name, __base__=AnyReport, **parts)


def _number_model(field: ReportField, report: str) -> Any:
    """One number of a report and whose it is."""
    own: dict[str, Any] = {"id": (Id, ...), field.number: (Annotated[float, Field(allow_inf_nan=False)], ...)}
    return create_model(f"{report}{field.number.capitalize()}", __config__=ConfigDict(extra="forbid"), **own)


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
    """Everything about a plan."""

    plan: PlanOut
    settings: dict[str, Any]
    history: list[DayOut]
    advice: AdviceOut | None
    forecasts: list[ForecastOut]
