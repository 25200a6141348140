"""Cells have names of their own, tables are declarations of them, and every one can be drawn."""

import json
from dataclasses import replace

import jax.numpy as jnp
import pytest

from lmta.agents.ws_option.update import sleeps
from lmta.experiments import published
from lmta.experiments.cells import Cell, Learner, Task, cell_from_json, not_yet, options
from lmta.experiments.costs import EPOCH_SECONDS, Costs
from lmta.experiments.declare import Entry, Scale, Table, scaled_task
from lmta.experiments.report import RENDERERS
from lmta.experiments.tables import TABLES, all_cells, tables_named
from lmta.problems.registry import spec_of
from lmta.types import InputError

AIM = Task("aim", 500, 10, 50)


def test_names_say_who_plays_what():
    tight = Task("sop", 100, 10, 40, options(generator="clustered", limit=0.6, drift=None))
    variant = Learner("lmta", "lmta", overrides=(("ablation.variant", "D"), ("ablation.without", ("pull", "push"))))
    on = replace(variant, overrides=(), trained_on=Task("aim", 100, 10, 60))
    assert Cell("average-degree", AIM).name == "aim-n500-t10-k50/average-degree_i100_s1000"
    assert Cell("lmta:sop", tight, instances=3).name == "sop-n100-t10-k40-clustered-limit0.6/adviser_i3_s1000"
    assert Cell("lmta:sop@500", tight, instances=3).method_name == "adviser@500"
    changed = "ablation.variant=D_ablation.without=pull+push"
    assert Cell(variant, AIM).name == f"aim-n500-t10-k50/lmta-lmta_{changed}_e50_seed1000_i100_s1000"
    played = Cell(on, AIM, futures=2, simulations=0, first_days=1, measure="order")
    expected = "lmta-lmta_e50_seed1000_on-aim-n100-t10-k60_i100_f2_s1000_sim0_days1_order"
    assert played.name == f"aim-n500-t10-k50/{expected}"
    assert played.run_name == "aim-n100-t10-k60/lmta-lmta_e50_seed1000"
    many = replace(variant, overrides=tuple((f"setting.number.{n}", n) for n in range(9)))
    assert len(many.name) < 50 and many.name != replace(many, overrides=many.overrides[:-1]).name


def test_a_cell_survives_json():
    learner = Learner("lmta", overrides=(("ablation.without", ("pull",)),), trained_on=AIM)
    for cell in (Cell("greedy", Task("sop", 9, 2, 3, options(limit=0.6))), Cell(learner, AIM, simulations=5)):
        assert cell_from_json(json.loads(json.dumps(cell.as_json()))) == cell


def test_seeds_of_development_are_not_reported():
    with pytest.raises(InputError, match="seed: 7 given; reported results use seeds from 1,000 on"):
        Cell("average-degree", AIM, seed=7)
    with pytest.raises(InputError, match="training seed: 0 given"):
        Cell(Learner("lmta", seed=0), AIM)


def test_settings_are_tuned_on_seeds_of_development():
    with pytest.raises(InputError, match=r"seed: 1000 given; settings are chosen on seeds below 1,000\.$"):
        Cell("average-degree", AIM, tuning=True)
    for name in ("tune-director", "tune-ws-option"):
        table = TABLES[name]
        cells = list(table.cells(table.scale))
        assert len(table.rows) <= 12
        assert {cell.method.seed for cell in cells} == {0, 1, 2}
        assert {(cell.task.nodes, cell.seed) for cell in cells} == {(200, 100)}
        assert all(not_yet(cell.method, cell.task, cell.measure) is None for cell in cells)
        assert len({cell.name for cell in cells}) == len(cells)


def test_who_is_always_asleep_does_not_wake_after_the_last_epoch():
    """The last updates before the agent plays are those of epoch 49, counted from 0."""
    table = TABLES["tune-ws-option"]
    asleep = [entry.cell.method for (row, _), entry in table.entries.items() if row.startswith("always asleep")]
    assert len(asleep) == 2
    for learner in asleep:
        settings = learner.run_settings(AIM)
        assert sleeps(settings.config.train, jnp.int32(settings.epochs - 1))


def test_what_this_version_does_not_have_is_pending():
    assert not_yet("average-degree", AIM) is None
    assert not_yet(Learner("lmta", overrides=(("ablation.variant", "D"),)), AIM) is None
    assert "agent: 'someone'" in (not_yet(Learner("someone"), AIM) or "")
    assert "search.nothing: is no setting" in (not_yet(Learner("lmta", overrides=(("search.nothing", 1),)), AIM) or "")
    assert "is not known" in (not_yet("hopeful-degree", AIM) or "")


def test_a_learner_trains_on_its_own_task_with_its_overrides():
    on = Task("aim", 30, 3, 4, options(generator="block"))
    settings = Learner("lmta", "paper", overrides=(("train.unroll", 3),), epochs=7, trained_on=on).run_settings(AIM)
    size = settings.spec.size(settings.instance)
    assert (size.nodes, size.days, size.budget, settings.instance.generator) == (30, 3, 4, "block")
    assert (settings.preset, settings.config.train.unroll, settings.epochs, settings.seed) == ("paper", 3, 7, 1_000)


def test_sizes_in_proportion():
    """Influence: 40 in place of 500 is 8 in place of 100; orienteering keeps its budget while half the cities allow."""
    assert scaled_task(Task("aim", 500, 10, 70), 40) == Task("aim", 40, 10, 6)
    assert scaled_task(Task("aim", 100, 10, 60), 40) == Task("aim", 10, 10, 6)
    assert scaled_task(Task("aim", 10, 4, 4), 40) == Task("aim", 10, 4, 4)
    assert scaled_task(Task("sop", 500, 10, 70), 200) == Task("sop", 200, 10, 70)
    assert scaled_task(Task("sop", 500, 10, 70), 40) == Task("sop", 40, 10, 20)
    assert scaled_task(AIM, None) == AIM


def test_cells_of_a_table_come_seed_by_seed():
    table = Table(
        "t", "t", {("a", "x"): Entry(Cell("average-degree", AIM)), ("b", "x"): Entry(Cell(Learner("lmta"), AIM))}
    )
    cells = list(table.cells(Scale(seeds=2, epochs=3, instances=5)))
    assert [cell.method if isinstance(cell.method, str) else cell.method.seed for cell in cells] == [
        "average-degree",
        1_000,
        1_001,
    ]
    assert {cell.instances for cell in cells} == {5}
    assert {cell.method.epochs for cell in cells if isinstance(cell.method, Learner)} == {3}


@pytest.mark.parametrize("scale", [None, Scale(seeds=1, nodes=40)])
def test_every_task_of_every_table_can_be_drawn(scale):
    cells = all_cells((table, scale or table.scale) for table in TABLES.values())
    assert len({cell.name for cell in cells}) == len(cells)
    for task in {cell.task for cell in cells}:
        if task.nodes <= 500:
            (drawn,) = spec_of(task.problem).instances(task.settings(), 1_000, 1)
            assert int(drawn.graph.node_mask.sum()) == task.nodes


def test_tables_share_their_cells():
    """Variant E of the ablation is the main table's LMTA."""
    scale = Scale(seeds=1)
    main, ablations, frontier = (set(TABLES[name].cells(scale)) for name in ("aim-main", "ablations", "frontier"))
    assert len(main & ablations) == 2  # E and A on influence
    assert {cell.run_name for cell in frontier if cell.run_name} <= {cell.run_name for cell in main}


def test_every_published_row_stands_in_a_table():
    shown = {entry.published for table in TABLES.values() for entry in table.entries.values()}
    for name, figures in vars(published).items():
        if name.isupper() and name not in ("CALIBRATION", "COST", "LMTA_COST"):
            assert {figure for row in figures.values() for figure in row} <= shown, name


def test_every_table_can_be_rendered_and_named():
    assert {table.render for table in TABLES.values()} <= set(RENDERERS)
    assert [table.name for table in tables_named(["exact", "aim-main", "exact"])] == ["aim-main", "exact"]
    assert len(tables_named(["all"])) == len(TABLES)
    with pytest.raises(InputError, match="'aim-man' is no experiment; did you mean 'aim-main'"):
        tables_named(["aim-man"])


def test_a_shared_training_is_counted_once(tmp_path):
    """Two plays cost the same; the training counts with the first, but for the epochs that are done."""
    learner = Learner("lmta", epochs=10)
    first, second = Cell(learner, AIM), Cell(learner, AIM, simulations=0)
    shares = Costs().shares([first, second])
    assert shares[first] - shares[second] == pytest.approx(60 + 10 * EPOCH_SECONDS)
    run = tmp_path / (first.run_name or "")
    run.mkdir(parents=True)
    (run / "metrics.jsonl").write_text('{"epoch": 1}\n{"epoch": 4}\n')
    left = Costs({("lmta", "aim"): 5.0}).shares([first, second], tmp_path)
    assert left[first] - left[second] == pytest.approx(60 + 6 * 5.0)
