"""The JSON API under /api/v1."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, File, Form, Path, Query, Response, UploadFile, status

from lmta.advisor.journal import journal_text
from lmta.problems.delimited import Content
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.session import MAX_DAYS
from lmta.service.data import SAMPLES, Kind, TooLargeError, safe_name, sample_content
from lmta.service.desk import Begin, Desk, kind_of, policies_for, standing
from lmta.service.export import csv_text
from lmta.service.forecast import Forecasts
from lmta.service.schemas import (
    AdviceOut,
    AdvisedOut,
    CampaignReport,
    DayAccepted,
    DayOut,
    Export,
    ForecastOut,
    ForecastRequest,
    KindName,
    NewPlanOut,
    PlanChange,
    PlanOut,
    PreviewOut,
    Problem,
    SampleOut,
    TourReport,
)
from lmta.service.store import Advised, Day, Forecast, Plan
from lmta.types import InputError

REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": text}
    for code, text in {
        400: "The body cannot be read.",
        401: "The token is missing or wrong.",
        403: "The request came from another page.",
        404: "It is not there.",
        409: "The plan has moved on.",
        413: "It is too large.",
        422: "Something given cannot be used; the sentence names it.",
    }.items()
}
Name = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a campaign or tour.")]
Job = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a forecast.")]
TitleForm = Annotated[str, Form(max_length=200)]
Number = Annotated[float, Form(ge=0, le=1e12, allow_inf_nan=False)]
OneFile = Annotated[UploadFile | None, File(description="Your data; or name a sample.")]
SampleForm = Annotated[str | None, Form(max_length=100, description="The name of a sample instead of a file.")]


@dataclass
class BeginForm:
    """What a campaign and a tour are both begun with."""

    days: Annotated[int, Form(ge=1, le=MAX_DAYS)]
    budget: Annotated[int, Form(ge=1, le=10_000_000)]
    file: OneFile = None
    sample: SampleForm = None
    title: TitleForm = ""
    policy: Annotated[str | None, Form(max_length=100)] = None
    seed: Annotated[int, Form(ge=0, lt=2**32)] = 0

    def wanted(self, kind: Kind, content: Content, **more: Any) -> Begin:
        """The same for the desk, with what only one of them has."""
        title = self.title or content.name
        return Begin(title, kind, content, self.days, self.budget, self.policy, self.seed, **more)


def make_router(desk: Desk, forecasts: Forecasts) -> APIRouter:
    """All that can be asked for."""
    router = APIRouter(prefix="/api/v1", responses=REFUSALS)
    _add_beginnings(router, desk)
    _add_plans(router, desk)
    _add_days(router, desk)
    _add_forecasts(router, desk, forecasts)
    _add_exports(router, desk, forecasts)
    return router


def _add_beginnings(router: APIRouter, desk: Desk) -> None:
    @router.get("/samples", tags=["begin"])
    def list_samples() -> list[SampleOut]:
        """Data to begin with."""
        return [SampleOut(**asdict(sample)) for sample in SAMPLES.values()]

    @router.get("/policies", tags=["begin"])
    def list_policies(kind: Annotated[KindName, Query()]) -> list[str]:
        """Who may decide."""
        return policies_for(kind)

    @router.post("/preview", tags=["begin"])
    def preview_data(
        kind: Annotated[KindName, Form()],
        file: OneFile = None,
        sample: SampleForm = None,
        directed: Annotated[bool, Form()] = True,
    ) -> PreviewOut:
        """What data hold, with errors by line, before anything is begun."""
        seen, said = desk.preview(_content(desk, kind, file, sample), kind, directed)
        return PreviewOut(**asdict(seen), warnings=said)

    @router.post("/campaigns", status_code=status.HTTP_201_CREATED, tags=["begin"])
    def begin_campaign(
        form: Annotated[BeginForm, Depends()],
        directed: Annotated[bool | None, Form()] = None,
        probability: Annotated[float | None, Form(ge=0, le=1, allow_inf_nan=False)] = None,
    ) -> NewPlanOut:
        """A campaign on a network: an edge list, GraphML or a sample."""
        content = _content(desk, "campaign", form.file, form.sample)
        if directed is None:
            directed = form.sample is None or SAMPLES[form.sample].directed
        return _begun(*desk.begin(form.wanted("campaign", content, directed=directed, probability=probability)))

    @router.post("/tours", status_code=status.HTTP_201_CREATED, tags=["begin"])
    def begin_tour(
        form: Annotated[BeginForm, Depends()],
        limit: Annotated[float, Form(gt=0, le=1e12, allow_inf_nan=False)] = OrienteeringRules.limit,
        penalty: Number = OrienteeringRules.penalty,
        crowding: Number = OrienteeringRules.crowding,
        drift: Number = OrienteeringRules.drift,
        floor: Number = OrienteeringRules.floor,
    ) -> NewPlanOut:
        """A tour through cities: CSV, TSPLIB or a sample."""
        content = _content(desk, "tour", form.file, form.sample)
        rules = OrienteeringRules(limit, penalty, crowding, drift, floor)
        return _begun(*desk.begin(form.wanted("tour", content, rules=rules)))

    @router.post("/imports", status_code=status.HTTP_201_CREATED, tags=["begin"])
    def bring_state(
        state: Annotated[UploadFile, File(description="A state file of `lmta plan`.")],
        data: Annotated[UploadFile, File(description="The data that it was begun with.")],
        title: TitleForm = "",
    ) -> NewPlanOut:
        """A campaign or tour that was kept by `lmta plan`."""
        plan = desk.bring(title or safe_name(state.filename), _read(desk, state), _read(desk, data))
        return _begun(plan, [])


def _add_plans(router: APIRouter, desk: Desk) -> None:
    @router.get("/plans", tags=["plans"])
    def list_plans() -> list[PlanOut]:
        """All campaigns and tours, the newest first."""
        return [standing(plan) for plan in desk.store.plans()]

    @router.get("/plans/{plan_id}", tags=["plans"])
    def show_plan(plan_id: Name) -> PlanOut:
        """Where one stands."""
        return standing(desk.store.plan(plan_id))

    @router.patch("/plans/{plan_id}", tags=["plans"])
    def change_plan(plan_id: Name, change: PlanChange) -> PlanOut:
        """Another title, policy or seed from now on."""
        return standing(desk.change(plan_id, change.title, change.policy, change.seed))

    @router.delete("/plans/{plan_id}", status_code=status.HTTP_204_NO_CONTENT, tags=["plans"])
    def remove_plan(plan_id: Name) -> None:
        """Forget it."""
        desk.remove(plan_id)


def _add_days(router: APIRouter, desk: Desk) -> None:
    @router.get("/plans/{plan_id}/advice", tags=["days"], response_model=AdviceOut)
    def advise_today(plan_id: Name) -> Response:
        """What to do today, and why; the same until the day is over."""
        advice = AdviceOut(**desk.advice(plan_id))  # written out here, for which FastAPI would go to another thread
        return Response(advice.model_dump_json(), media_type="application/json")

    @router.post("/plans/{plan_id}/day", tags=["days"])
    def report_day(plan_id: Name, report: Annotated[CampaignReport | TourReport, Body()]) -> DayAccepted:
        """What was really done and observed. What contradicts the model is taken as true, with a warning."""
        plan = desk.store.plan(plan_id)
        if isinstance(report, TourReport) != (kind_of(plan.beginning) == "tour"):
            fields = "visited, closed and profits" if isinstance(report, CampaignReport) else "seeded and activated"
            raise InputError(f"report: this is a {kind_of(plan.beginning)}; report {fields}.")
        given = report.model_dump(exclude={"day"})
        if isinstance(report, TourReport):
            given["profits"] = {entry.id: entry.profit for entry in report.profits}
        day = desk.report(plan_id, report.day, given)
        told = _day_out(day, desk.store.advised(plan_id))
        return DayAccepted(day=told, plan=standing(desk.store.plan(plan_id)))

    @router.get("/plans/{plan_id}/history", tags=["days"])
    def list_days(plan_id: Name) -> list[DayOut]:
        """The days so far."""
        plan, advised = desk.store.plan(plan_id), desk.store.advised(plan_id)
        return [_day_out(day, advised) for day in plan.days]

    @router.delete("/plans/{plan_id}/days/{day}", tags=["days"])
    def undo_day(plan_id: Name, day: int) -> PlanOut:
        """Take back the last day."""
        return standing(desk.undo(plan_id, day))


def _add_forecasts(router: APIRouter, desk: Desk, forecasts: Forecasts) -> None:
    @router.post("/plans/{plan_id}/forecast", status_code=status.HTTP_202_ACCEPTED, tags=["forecasts"])
    def begin_forecast(plan_id: Name, request: ForecastRequest) -> ForecastOut:
        """Look ahead from today to the end, as a job."""
        job = forecasts.ask(plan_id, request.policies, request.futures, request.seed)
        return forecast_out(job, forecasts)

    @router.get("/plans/{plan_id}/forecasts", tags=["forecasts"])
    def list_forecasts(plan_id: Name) -> list[ForecastOut]:
        """All jobs, the newest first."""
        return [forecast_out(job, forecasts) for job in desk.store.forecasts(plan_id)]

    @router.get("/plans/{plan_id}/forecasts/{forecast_id}", tags=["forecasts"])
    def show_forecast(plan_id: Name, forecast_id: Job) -> ForecastOut:
        """How a job stands."""
        return forecast_out(desk.store.forecast(plan_id, forecast_id), forecasts)

    @router.delete("/plans/{plan_id}/forecasts/{forecast_id}", tags=["forecasts"])
    def cancel_forecast(plan_id: Name, forecast_id: Job) -> ForecastOut:
        """Stop a job."""
        return forecast_out(forecasts.cancel(plan_id, forecast_id), forecasts)


def _add_exports(router: APIRouter, desk: Desk, forecasts: Forecasts) -> None:
    @router.get("/plans/{plan_id}/export.json", tags=["export"])
    def export_json(plan_id: Name) -> Export:
        """Everything about it."""
        plan = desk.store.plan(plan_id)
        advice = desk.store.advice(plan_id, plan.day)
        advised = desk.store.advised(plan_id)
        begun = desk.journal(plan)
        hidden = {"history", "advised"}
        return Export(
            plan=standing(plan),
            settings={name: value for name, value in asdict(begun).items() if name not in hidden},
            history=[_day_out(day, advised) for day in plan.days],
            advice=None if advice is None else AdviceOut(**advice),
            forecasts=[forecast_out(job, forecasts) for job in desk.store.forecasts(plan_id)],
        )

    @router.get("/plans/{plan_id}/export.csv", tags=["export"], response_class=Response, responses=_file("text/csv"))
    def export_csv(plan_id: Name) -> Response:
        """One line for everything that was advised, done or observed, safe to open in a spreadsheet."""
        text = csv_text(desk.store.plan(plan_id), desk.store.advised(plan_id))
        return _download(text.encode(), "text/csv", f"{plan_id}.csv")

    @router.get("/plans/{plan_id}/state", tags=["export"], response_class=Response, responses=_file("application/json"))
    def export_state(plan_id: Name) -> Response:
        """The state file of `lmta plan`; put it beside the data."""
        text = journal_text(desk.journal(desk.store.plan(plan_id)))
        return _download(text, "application/json", f"{plan_id}.json")

    octets = "application/octet-stream"

    @router.get("/plans/{plan_id}/data", tags=["export"], response_class=Response, responses=_file(octets))
    def export_data(plan_id: Name) -> Response:
        """The data as they were uploaded."""
        content = desk.store.content(desk.store.plan(plan_id))
        return _download(content.data, octets, content.name)


def forecast_out(forecast: Forecast, forecasts: Forecasts) -> ForecastOut:
    """A job as the API tells it."""
    outcome = forecast.outcome or {}
    return ForecastOut(
        id=forecast.id,
        created=forecast.created,
        **forecast.request,
        status=forecast.status,  # pyright: ignore[reportArgumentType]
        progress=forecasts.progress(forecast),
        error=outcome.get("error"),
        result=outcome if "policies" in outcome else None,  # pyright: ignore[reportArgumentType]
    )


def _day_out(day: Day, advised: dict[int, Advised]) -> DayOut:
    then = advised.get(day.number)
    return DayOut(**asdict(day), advised=None if then is None else AdvisedOut(**asdict(then)))


def _begun(plan: Plan, warnings: list[str]) -> NewPlanOut:
    return NewPlanOut(plan=standing(plan), warnings=warnings)


def _content(desk: Desk, kind: Kind, file: UploadFile | None, sample: str | None) -> Content:
    """The uploaded file or the sample, of which there must be one."""
    if (file is None) == (sample is None):
        raise InputError("file: give a file or name a sample, and one only.")
    if file is not None:
        return Content(safe_name(file.filename), _read(desk, file))
    assert sample is not None
    content = sample_content(sample)
    if SAMPLES[sample].kind != kind:
        raise InputError(f"sample: {sample!r} is for a {SAMPLES[sample].kind}.")
    return content


def _read(desk: Desk, file: UploadFile) -> bytes:
    """What was uploaded, up to the limit."""
    data = file.file.read(desk.limits.bytes + 1)
    if len(data) > desk.limits.bytes:
        raise TooLargeError(f"file: at most {desk.limits.bytes:,} bytes are taken.")
    return data


def _file(media_type: str) -> dict[int | str, dict[str, Any]]:
    schema = {"type": "object"} if media_type == "application/json" else {"type": "string", "format": "binary"}
    return {200: {"content": {media_type: {"schema": schema}}}}


def _download(data: bytes, media_type: str, name: str) -> Response:
    return Response(data, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
