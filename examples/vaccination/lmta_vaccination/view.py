"""How an outbreak looks."""

from lmta.problems.charts import BLUE, GREEN, GREY, RED
from lmta.problems.network_view import Status, status_view
from lmta_vaccination.rules import INFECTED, RECOVERED, SUSCEPTIBLE, VACCINATED

VIEW = status_view(
    {
        SUSCEPTIBLE: Status("susceptible", "circle", GREY, printed="#c9ced6"),
        INFECTED: Status("infected", "triangle", RED, printed="#e4572e"),
        RECOVERED: Status("recovered", "rect", BLUE, printed="#2e6f95"),
        VACCINATED: Status("vaccinated", "roundRect", GREEN, printed="#2fa36b"),
    },
    moving=INFECTED,
    title="The contacts",
    worth_name="contacts",
)
