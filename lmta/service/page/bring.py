"""The form that goes on with a plan of `lmta plan`: its state file and its data."""

from functools import partial

from nicegui import events, ui

from lmta.service.desk import Desk
from lmta.service.page.parts import attempt, upload

FILES = {"state": "State file of lmta plan (JSON)", "data": "The data it was begun with"}


class BringForm:
    """One visitor's form."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._given: dict[str, tuple[str, bytes]] = {}
        self._chosen: dict[str, ui.label] = {}

    def draw(self) -> None:
        """Two files and a button."""
        with ui.expansion("Go on with a state file of lmta plan", icon="file_open").classes("w-full"):
            with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full"):
                for name, label in FILES.items():
                    with ui.column().classes("w-full gap-1"):
                        field = upload(label, self._desk.limits.bytes, partial(self._take, name))
                        field.on_upload(field.reset)
                        self._chosen[name] = ui.label("No file yet.").classes("chosen ids opacity-70 text-sm")
            self._go = ui.button("Go on", icon="play_arrow", on_click=self._submit).classes("mt-3")
            self._go.set_enabled(False)

    async def _take(self, name: str, event: events.UploadEventArguments) -> None:
        self._given[name] = (event.file.name, await event.file.read())
        self._chosen[name].text = event.file.name
        self._go.set_enabled(len(self._given) == len(FILES))

    async def _submit(self) -> None:
        (title, state), (_, data) = self._given["state"], self._given["data"]
        plan = await attempt(self._desk.bring, title, state, data)
        if plan is not None:
            ui.navigate.to(f"/plan/{plan.id}")
