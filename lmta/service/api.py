"""The JSON API under /api/v1."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Union

from fastapi import APIRouter, Body, File, Form, Path, Query, Response, UploadFile, status
from fastapi.exceptions import RequestValidationError
from pydantic import SkipValidation, ValidationError

from lmta.advisor.journal import journal_text
from lmta.problems.delimited import Content
from lmta.problems.registry import session_words, spec_of_word
from lmta.problems.spec import Sample, Spec
from lmta.service.data import TooLargeError, safe_name, sample_content, sample_of, samples
from lmta.service.desk import Begin, Desk, policies_for, standing
from lmta.service.export import csv_text
from lmta.service.forecast import Forecasts
from lmta.service.schemas import (
    LONGEST_TITLE,
    AdviceOut,
    AdvisedOut,
    DayAccepted,
    DayOut,
    Export,
    ForecastOut,
    ForecastRequest,
    Kind,
    NewPlanOut,
    PlanChange,
    PlanOut,
    PreviewForm,
    PreviewOut,
    Problem,
    SampleOut,
    begin_form,
    report_model,
)
from lmta.service.store import Advised, Day, Forecast, Plan
from lmta.types import InputError, quoted

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
Name = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a plan.")]
Job = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a forecast.")]
FORM = Form(media_type="multipart/form-data")


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
        return [_sample_out(spec, sample) for spec, sample in samples()]

    @router.get("/policies", tags=["begin"])
    def list_policies(kind: Annotated[Kind, Query()]) -> list[str]:
        """Who may decide."""
        return policies_for(kind)

    @router.post("/preview", tags=["begin"])
    def preview_data(form: Annotated[PreviewForm, FORM]) -> PreviewOut:
        """What data hold, with errors by line, before anything is begun."""
        content, options = _content(desk, spec_of_word(form.kind), form.file, form.sample)
        seen, said = desk.preview(content, form.kind, options | (form.model_extra or {}))
        return PreviewOut(**asdict(seen), warnings=said)

    for spec in session_words().values():
        _add_beginning(router, desk, spec)

    @router.post("/imports", status_code=status.HTTP_201_CREATED, tags=["begin"])
    def bring_state(
        state: Annotated[UploadFile, File(description="A state file of `lmta plan`.")],
        data: Annotated[UploadFile, File(description="The data that it was begun with.")],
        title: Annotated[str, Form(max_length=LONGEST_TITLE)] = "",
    ) -> NewPlanOut:
        """A plan that was kept by `lmta plan`."""
        plan = desk.bring(title or safe_name(state.filename), _read(desk, state), _read(desk, data))
        return _begun(plan, [])


def _add_beginning(router: APIRouter, desk: Desk, spec: Spec) -> None:
    """The way to begin a plan of one problem."""
    word = spec.session.word

    def begin(form: Any) -> NewPlanOut:
        content, options = _content(desk, spec, form.file, form.sample)
        title = form.title or content.name
        wanted = Begin(title, word, content, form.days, form.budget, form.policy, form.seed, options | form.options())
        return _begun(*desk.begin(wanted))

    begin.__annotations__["form"] = Annotated[begin_form(spec), FORM]
    router.post(
        f"/{word}s",
        status_code=status.HTTP_201_CREATED,
        tags=["begin"],
        name=f"begin_{word}",
        description=f"{spec.session.title}. {spec.own_data.describe}",
    )(begin)


def _add_plans(router: APIRouter, desk: Desk) -> None:
    @router.get("/plans", tags=["plans"])
    def list_plans() -> list[PlanOut]:
        """All plans, the newest first."""
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
    async def advise_today(plan_id: Name) -> Response:
        """What to do today, and why; the same until the day is over. Who thinks takes as long as its name says."""
        made = await asyncio.wrap_future(desk.advise(plan_id))
        advice = AdviceOut(**made)  # written out here, for which FastAPI would go to another thread
        return Response(advice.model_dump_json(), media_type="application/json")

    def report_day(plan_id: Name, report: Any) -> DayAccepted:
        """What was really done and observed. What contradicts the model is taken as true, with a warning."""
        number, given = read_report(desk.store.plan(plan_id).spec, report)
        told = _day_out(desk.report(plan_id, number, given), desk.store.advised(plan_id))
        return DayAccepted(day=told, plan=standing(desk.store.plan(plan_id)))

    # The schema has the reports of all problems; each plan's own says whether one is right.
    models = Union[tuple(report_model(spec) for spec in session_words().values())]  # noqa: UP007
    report_day.__annotations__["report"] = Annotated[SkipValidation[models], Body()]
    router.post("/plans/{plan_id}/day", tags=["days"])(report_day)

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
            settings=begun.model_dump(mode="json", exclude=hidden),
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


def read_report(spec: Spec, body: Any) -> tuple[int, dict[str, Any]]:
    """The day that a report is about, and what it says: ids, and pairs of an id and its number."""
    model, session = report_model(spec), spec.session
    unknown = [name for name in body if name not in model.model_fields] if isinstance(body, dict) else []
    if unknown:
        parts = ", ".join(field.name for field in session.report_fields)
        raise InputError(f"{quoted(unknown[0])} is no part of the report of a {session.word}; there are day, {parts}.")
    try:
        report = model.model_validate(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None
    given: dict[str, Any] = {field.name: getattr(report, field.name) for field in session.report_fields}
    for field in session.report_fields:
        if field.has_numbers:
            given[field.name] = [(entry.id, getattr(entry, field.number)) for entry in given[field.name]]
    return report.day, given


def _sample_out(spec: Spec, sample: Sample) -> SampleOut:
    return SampleOut(
        name=sample.name,
        title=sample.title,
        kind=spec.session.word,
        days=sample.days,
        budget=sample.budget,
        options=dict(sample.options),
        description=sample.description,
    )


def _content(desk: Desk, spec: Spec, file: UploadFile | None, sample: str | None) -> tuple[Content, dict[str, Any]]:
    """The uploaded file or the sample, of which there must be one, and the options that suit it."""
    if (file is None) == (sample is None):
        raise InputError("file: give a file or name a sample, and one only.")
    if file is not None:
        return Content(safe_name(file.filename), _read(desk, file)), {}
    assert sample is not None
    found = sample_of(spec, sample)
    return sample_content(found), dict(found.options)


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
