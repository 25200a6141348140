"""Tables of the documentation say what was played and how to play it again."""

from dataclasses import replace

from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.experiments.markdown import Table, markdown
from lmta.problems.registry import InstanceSettings


def test_a_table_of_two_horizons():
    """Each column has the run of its own agent, which the table calls by one name."""
    columns, rows = {}, {}
    for days in (2, 3):
        played = EvaluateSettings(
            policies="average-degree,exact",
            problem="aim",
            instances=2,
            seed=5,
            instance=InstanceSettings(nodes=6, days=days, budget=3),
        )
        agent, exact = evaluate(prepare(played))
        columns[f"T={days}"] = replace(played, policies=f"lmta:runs/{days},exact")
        rows[f"T={days}"] = [replace(agent, policy=f"lmta:runs/{days}"), exact]
    lines = markdown(Table("Tiny", columns), rows).splitlines()
    cells = [f"{rows[f'T={days}'][0].score.mean:.2f}" for days in (2, 3)]
    assert lines[:4] == ["### Tiny", "", "| policy | T=2 | T=3 |", "|---|---:|---:|"]
    assert lines[4].startswith(f"| lmta | {cells[0]} ± ")
    assert f" | {cells[1]} ± " in lines[4]
    assert lines[5].startswith("| exact | ")
    assert "(in expectation " in lines[5]
    command = (
        "lmta evaluate --problem aim --nodes 6 --days T --budget K --instances 2 --seed 5 --policies lmta:RUN,exact"
    )
    assert lines[7] == f"`{command}`"
