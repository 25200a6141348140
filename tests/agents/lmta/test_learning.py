"""Updates of LMTA: losses fall, each part moves when it should, and the variants leave out what they say."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import BUDGET, DAYS, tiny

from lmta.agents.lmta.high import high_loss
from lmta.agents.lmta.networks import first_biases
from lmta.agents.lmta.replay import sample_high, sample_low
from lmta.agents.lmta.settings import Ablation
from lmta.agents.lmta.update import learn, update_average, update_low
from lmta.agents.presets import with_values
from lmta.agents.settings import make_agent, make_model
from lmta.nn.replay import add, make_ring
from lmta.training.run import draw_instances

WARM, LATER = jnp.int32(0), jnp.int32(5)


class Start:
    """The learner of a preset before its first update, and a replay with games of one epoch."""

    def __init__(self, preset, values=None):
        self.settings = tiny(preset=preset, values=values)
        self.config, self.agent = self.settings.config, make_agent(self.settings)
        self.learner = self.agent.begin(make_model(self.settings, key=jax.random.key(0)))
        self.games = self.agent.play(self.learner, draw_instances(self.settings, 0), LATER, jax.random.key(1))
        self.replay = add(make_ring(one(self.games, 0), self.agent.capacity), self.games)

    def learn(self, epoch=LATER, config=None, learner=None, replay=None, seed=5):
        """An epoch's updates, with what is given changed."""
        return learn(
            self.agent.problem,
            self.config if config is None else config,
            self.learner if learner is None else learner,
            self.replay if replay is None else replay,
            epoch,
            jax.random.key(seed),
        )


@pytest.fixture(scope="module")
def start():
    return Start("lmta")


@pytest.fixture(scope="module")
def paper():
    return Start("paper")


def one(tree, n):
    return jax.tree.map(lambda leaf: leaf[n], tree)


def arrays(module):
    return jax.tree.leaves(eqx.filter(module, eqx.is_array))


def moved(one, other):
    return [float(jnp.abs(a - b).max()) for a, b in zip(*map(arrays, (one, other)), strict=True)]


MANY = {
    "train.high_updates": 60,
    "train.low_updates": 60,
    "train.high_rate": 0.01,
    "train.target_every": 1_000,
    "loss.entropy": 0.0,
}
"""What several tests share, so that it is compiled once."""


def test_learning_lowers_the_losses(start):
    """Many updates on one small replay, toward a target that stands still: the same again fit better."""
    fit = with_values(start.config, MANY)
    after, at_first = start.learn(config=fit)
    _, later = start.learn(config=fit, learner=after)
    for term in ("reward", "value", "policy", "budget_critic", "order_of_intents", "consistency", "q"):
        assert float(later[term]) < float(at_first[term]), term
    assert (int(after.high_steps), int(after.low_steps)) == (60, 60)


def test_the_target_waits_for_its_turn(start):
    """With a copy every three steps the target stands still for two, then it moves too."""
    after, _ = start.learn()
    later, _ = start.learn(learner=after, seed=6)
    assert max(moved(start.learner.low_target, after.low_target)) == 0
    assert min(moved(start.learner.low_target, later.low_target)) > 0
    assert min(moved(start.learner.model.low, after.model.low)) > 0


def test_the_budget_policy_rests_while_warming_up_and_then_moves_at_its_rate(start):
    """Two steps of Adam at a rate of 1e-3 move a weight by 2e-3, weight decay aside."""
    head = lambda learner: learner.model.high.budget.policy  # noqa: E731
    warm, _ = start.learn(WARM)
    on, _ = start.learn(LATER)
    assert max(moved(head(start.learner), head(warm))) < 1e-6
    assert all(1e-3 < distance < 3e-3 for distance in moved(head(start.learner), head(on)))


def test_the_average_model_is_the_mean_and_then_forgets(start, paper):
    """After the first epoch it is the model; later a tenth of the model and nine tenths of itself. In the paper the
    newest weights play."""
    learner = eqx.tree_at(lambda a: a.model, start.learner, jax.tree.map(doubled, start.learner.model))
    old, new = arrays(learner.average), arrays(learner.model)
    for epoch, keep, config in ((0, 0.0, start.config), (1, 0.5, start.config), (50, 0.9, start.config)):
        mixed = update_average(learner, config, jnp.int32(epoch)).average
        for average, before, model in zip(arrays(mixed), old, new, strict=True):
            np.testing.assert_allclose(average, keep * before + (1 - keep) * model, atol=1e-6)
    newest = update_average(learner, paper.config, jnp.int32(50)).average
    assert max(moved(newest, learner.model)) == 0


def doubled(leaf):
    return 2 * leaf if eqx.is_inexact_array(leaf) else leaf


@pytest.mark.parametrize("preset", ["start", "paper"])
def test_gradients_of_the_low_level_reach_the_subgoals(request, preset):
    """And no other part of the high level. Only subgoals that were sampled move, but for their weight decay."""
    given = request.getfixturevalue(preset)
    problem, config = given.agent.problem, given.config
    batch = sample_low(problem, given.replay, config, jax.random.key(0))
    after, _ = eqx.filter_jit(update_low)(given.learner, problem, config, batch)
    before = given.learner.model
    steps = np.abs(np.asarray(after.model.high.subgoals - before.high.subgoals)).max(axis=1)
    sampled = np.isin(np.arange(4), batch.subgoal)
    assert (steps[sampled] > 1e-4).all()
    assert sampled.any()
    rest = lambda high: eqx.tree_at(lambda h: h.subgoals, high, before.high.subgoals)  # noqa: E731
    assert max(moved(rest(after.model.high), rest(before.high))) == 0


def test_budgets_of_games_that_went_better_than_their_like_become_likelier(start):
    """Two games that differ in the first day's budget: the one with 3 earned one more than others, that with 1 less."""
    games = jax.tree.map(lambda leaf: leaf.at[1].set(leaf[0]), start.games)
    told = eqx.tree_at(
        lambda g: (g.advantage, g.budget, g.budget_log_prob, g.teaches_budgets),
        games,
        (
            jnp.zeros(8).at[:2].set(jnp.array([1.0, -1.0])),
            games.budget.at[:2, 0].set(jnp.array([3, 1])),
            jnp.full_like(games.budget_log_prob, np.log(0.3)),
            jnp.zeros(8, bool).at[:2].set(True),
        ),
    )
    after, _ = start.learn(config=with_values(start.config, MANY), replay=refilled(start, told))

    def preference(model):
        game = one(start.games, 0)
        logits = budgets_of(start, model, game.instance, one(game.states, 0))[0][game.subgoal[0]]
        return float(logits[3] - logits[1])

    assert preference(after.model) > preference(start.learner.model) + 0.05


def refilled(start, games):
    return add(make_ring(one(games, 0), start.agent.capacity), games)


def budgets_of(start, model, instance, state):
    """(logits over budgets, tilt) of every subgoal."""

    @eqx.filter_jit
    def budgets(high):
        latent = high.encoder(start.agent.problem.observe(instance, state))
        return high.all_budgets(latent, jnp.int32(BUDGET), jnp.int32(DAYS))

    return budgets(model.high)


def test_subgoals_keep_their_biases_beside_the_favourite(start):
    """The search's favourite, here always the last, is drawn to an even share; the first stays as far behind it."""
    told = eqx.tree_at(
        lambda g: (g.policy, g.teaches_budgets, g.advantage),
        start.games,
        (jnp.zeros_like(start.games.policy).at[..., 3].set(1.0), jnp.ones(8, bool), jnp.zeros(8)),
    )
    replay = refilled(start, told)
    config = with_values(start.config, MANY)
    after, terms = start.learn(config=config, replay=replay)
    after, later = start.learn(config=config, replay=replay, learner=after, seed=6)
    assert float(later["anchor"]) < float(terms["anchor"])
    instance, state = one(start.games.instance, 0), one(one(start.games, 0).states, 0)
    tilts = budgets_of(start, after.model, instance, state)[1].tolist()
    biases = np.asarray(first_biases(start.config))
    assert tilts[3] == pytest.approx(0, abs=0.1)
    assert tilts[0] - tilts[3] == pytest.approx(biases[0] - biases[3], abs=0.1)


def test_a_subgoal_that_earns_more_is_chosen_without_search():
    """Variant F: the Q of a subgoal that earned 50 a day, where others lost as much, rises above theirs."""
    start = Start("paper", {"ablation.variant": "F"})
    assert start.learner.high_target is not None
    taken = int(start.games.subgoal[0, 0])
    assert len(set(start.games.subgoal.ravel().tolist())) > 1
    rich = eqx.tree_at(lambda g: g.reward, start.games, jnp.where(start.games.subgoal == taken, 50.0, -50.0))
    config = with_values(start.config, {"train.high_updates": 150, "train.low_updates": 0, "train.high_rate": 0.01})
    after, _ = start.learn(config=config, replay=refilled(start, rich))
    game = one(start.games, 0)
    instance, state = game.instance, one(game.states, 0)
    intend = eqx.filter_jit(lambda model: start.agent.intend(model, instance, state, jax.random.key(0), explore=False))
    found = intend(after.model)
    assert int(found.subgoal) == int(found.plan.subgoal) == taken
    assert float(found.plan.value) == pytest.approx(float(found.plan.subgoal_values.max()))


def test_with_chance_budgets_the_model_reads_them_and_the_search_draws_them(paper):
    """The gradient of the objective reaches the weights that read the budget; a decision is as legal as ever."""
    settings = tiny(preset="paper", values={"ablation.chance_budgets": 2})
    agent, model = make_agent(settings), make_model(settings, key=jax.random.key(0))
    batch = sample_high(paper.replay, settings.config, jax.random.key(0))
    steps = sample_low(agent.problem, paper.replay, settings.config, jax.random.key(1))
    objective = eqx.filter_jit(eqx.filter_grad(lambda *given: high_loss(*given)[0]))
    gradient = objective(model.high, None, agent.problem, settings.config, batch, steps, True)
    assert float(jnp.abs(gradient.dynamics.body.layers[0].weight[:, -1]).max()) > 0
    game = one(paper.games, 0)
    day = eqx.filter_jit(agent.decide)(model, game.instance, one(game.states, 0), jax.random.key(2))
    assert 0 <= int(day.record.num_picks) <= int(day.budget) <= BUDGET


PARTS = {"cap": "pull", "push": "push", "order": "order"}


@pytest.mark.parametrize(
    ("ablation", "kept"),
    [
        (Ablation("B"), set()),
        (Ablation("C"), set()),
        (Ablation("D"), {"cap", "push", "order"}),
        (Ablation("E"), {"cap", "push", "order"}),
        (Ablation("E", ("pull",)), {"push", "order"}),
        (Ablation("E", ("push", "order")), {"cap"}),
    ],
    ids=lambda value: f"{value.variant}{'-'.join(('', *value.without))}" if isinstance(value, Ablation) else "",
)
def test_the_objective_has_the_terms_of_its_variant(paper, ablation, kept):
    """L_MuZero + λ_mts (Σ λ · kept terms + λ_m margins) + λ_bud (critic + actor - β entropy)."""
    config = with_values(paper.config, {"loss.cap": 3.0, "loss.push": 5.0, "loss.order": 7.0, "loss.margin": 0.5})
    config = replace(config, ablation=ablation)
    high, problem = paper.learner.model.high, paper.agent.problem
    batch = sample_high(paper.replay, config, jax.random.key(0))
    steps = sample_low(problem, paper.replay, config, jax.random.key(1))
    total, terms = eqx.filter_jit(high_loss)(high, None, problem, config, batch, steps, True)
    terms = {name: float(value) for name, value in terms.items()}
    expected = terms["policy"] + terms["value"] + terms["reward"]
    expected += terms["budget_critic"] + terms["budget_actor"] - 0.01 * terms["budget_entropy"]
    if ablation.has_mts:
        weights = {"cap": 3.0, "push": 5.0, "order": 7.0}
        expected += sum(weights[name] * terms[name] for name in kept) + 0.5 * terms["margin"]
    assert float(total) == pytest.approx(expected, rel=1e-4)
    assert terms["order_of_intents"] == terms["anchor"] == 0
    assert kept == {name for name, word in PARTS.items() if ablation.has_mts and word not in ablation.without}


def test_the_budget_policy_is_left_out_of_the_objective_while_warming_up(paper):
    high, problem = paper.learner.model.high, paper.agent.problem
    batch = sample_high(paper.replay, paper.config, jax.random.key(0))
    steps = sample_low(problem, paper.replay, paper.config, jax.random.key(1))
    loss = eqx.filter_jit(high_loss)
    on, terms = loss(high, None, problem, paper.config, batch, steps, jnp.array(True))
    off, _ = loss(high, None, problem, paper.config, batch, steps, jnp.array(False))
    actor = float(terms["budget_actor"]) - 0.01 * float(terms["budget_entropy"])
    assert float(on - off) == pytest.approx(actor, abs=1e-4)
    assert abs(actor) > 1e-3
