"""How a campaign looks: who is inactive, active, removed."""

from lmta.problems.charts import BLUE, GREY, RED
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED
from lmta.problems.network_view import Status, status_view

VIEW = status_view(
    {
        INACTIVE: Status("inactive", "circle", GREY, printed="#c9ced6"),
        ACTIVE: Status("active", "triangle", RED, printed="#e4572e"),
        REMOVED: Status("reached before", "rect", BLUE, printed="#2e6f95"),
    },
    moving=ACTIVE,
    title="The network",
    worth_name="out degree",
)
