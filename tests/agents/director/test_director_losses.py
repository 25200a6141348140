"""The losses of Director by hand: goals, pieces of trajectories, and what flows where."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.director.agent import choose_goal
from lmta.agents.director.imagination import Trajectory, imagine, timetable
from lmta.agents.director.losses import (
    Lesson,
    Rewards,
    actor_loss,
    code_loss,
    critic_loss,
    manager_lesson,
    max_cosine,
    mean_code_loss,
    rewards_of,
    worker_lesson,
    world_loss,
)
from lmta.agents.director.networks import Critics, WorldModel
from lmta.agents.director.replay import segment_of
from lmta.agents.settings import make_agent
from lmta.agents.steps import Played
from lmta.nn.categorical import squash
from lmta.training.run import begin, draw_instances
from lmta.types import InputError

SETTINGS = tiny("director")
AGENT = make_agent(SETTINGS)
SIZES = SETTINGS.config.network


@pytest.fixture(scope="module")
def learner():
    return begin(SETTINGS).learner


@pytest.fixture(scope="module")
def game(learner) -> Played:
    instances = draw_instances(SETTINGS, 0)
    games = AGENT.play(learner, instances, jnp.int32(0), jax.random.key(5))
    return jax.tree.map(lambda leaf: leaf[0], games)


class FixedCritics(Critics):
    """The value of a latent is its first number; for the worker, times the first number of the goal."""

    def of_manager(self, latent):
        return jnp.stack([latent[0], jnp.zeros(())])

    def of_worker(self, latent, goal):
        return latent[0] * goal[0]


@pytest.fixture(scope="module")
def critics():
    return FixedCritics(SIZES, key=jax.random.key(0))


@pytest.mark.parametrize(
    ("goal", "latent", "reward"),
    [
        ([3.0, 4.0], [3.0, 4.0], 1.0),
        ([3.0, 4.0], [6.0, 8.0], 0.5),
        ([6.0, 8.0], [3.0, 4.0], 0.5),
        ([3.0, 4.0], [-4.0, 3.0], 0.0),
        ([1.0, 0.0], [3.0, 4.0], 3 / 25),
        ([0.0, 0.0], [0.0, 0.0], 0.0),
    ],
)
def test_a_goal_pays_for_direction_and_length(goal, latent, reward):
    assert float(max_cosine(jnp.array(goal), jnp.array(latent))) == pytest.approx(reward, abs=1e-6)


def test_days_and_goals_of_imagination():
    """Two days of five picks have room in 12 steps; goals of two picks begin anew with the day."""
    plan = timetable(5, 2, 12)
    assert plan.ends_day == (False, False, False, False, True) * 2
    assert plan.new_goal == (True, False, True, False, True) * 2
    np.testing.assert_array_equal(plan.goal_number, [0, 0, 1, 1, 2, 3, 3, 4, 4, 5])
    np.testing.assert_array_equal(plan.ends_goal, [False, True, False, True, True] * 2)
    assert timetable(20, 20, 16) == (((False,) * 19 + (True,)), ((True,) + (False,) * 19))


def test_a_goal_longer_than_a_day_is_refused():
    run = tiny("director", values={"stride": 2})
    with pytest.raises(InputError, match=r"^stride: 2 given, but a day has 1 picks; goals end with the day\.$"):
        make_agent(run)


def trajectory(latents, goals):
    """Latents and goals by their first number; the others are 0."""
    pad = lambda numbers: jnp.zeros((len(numbers), SIZES.latent)).at[:, 0].set(jnp.array(numbers))  # noqa: E731
    steps = len(goals)
    return Trajectory(
        pad(latents), pad(goals), jnp.zeros(steps), jnp.zeros(steps), jnp.zeros(steps), jnp.zeros((steps, SIZES.codes))
    )


def test_the_worker_bootstraps_on_the_goal_that_ends(critics):
    """Two goals of two picks, 2 and then 10. R₁ = 1 + γ V(3, goal 2) = 1 + 0.5 · 6; R₀ = 1 + 0.5 (0.5 · 4 + 0.5 R₁)."""
    plan = timetable(4, 2, 4)
    rewards = Rewards(jnp.zeros(4), jnp.zeros(4), jnp.ones(4), jnp.ones(4))
    lesson = worker_lesson(critics, critics, plan, trajectory([1, 2, 3, 4, 5], [2, 2, 10, 10]), rewards, 0.5, 0.5)
    last = 1 + 0.5 * 50
    np.testing.assert_allclose(lesson.returns[:, 0], [3.0, 4.0, 1 + 0.5 * (0.5 * 40 + 0.5 * last), last], rtol=1e-6)
    np.testing.assert_allclose(lesson.values[:, 0], [2, 4, 30, 40])
    np.testing.assert_allclose(lesson.weight, [1, 0.5, 0.25, 0.125])


def test_the_manager_is_paid_the_mean_of_a_goal_as_far_as_it_goes_on(critics):
    """Rewards 2, 4 and 6, 8; the episode goes on after the second step with probability 0.5.

    Goal 2 pays (6 + 8) / 2 = 7 and bootstraps on V = 5: 7 + 0.9 · 5 = 11.5. Goal 1 pays 3, and half of the rest counts:
    3 + 0.45 (0.5 · 3 + 0.5 · 11.5).
    """
    plan = timetable(4, 2, 4)
    rewards = Rewards(jnp.array([2.0, 4, 6, 8]), jnp.ones(4), jnp.zeros(4), jnp.array([1.0, 0.5, 1, 1]))
    lesson = manager_lesson(critics, critics, plan, trajectory([1, 2, 3, 4, 5], [0, 0, 0, 0]), rewards, 0.9, 0.5)
    np.testing.assert_allclose(lesson.returns[:, 0], [3 + 0.45 * (1.5 + 5.75), 11.5], rtol=1e-6)
    np.testing.assert_allclose(lesson.returns[:, 1], [1 + 0.45 * 0.5, 1], rtol=1e-6)
    np.testing.assert_allclose(lesson.values[:, 0], [1, 3])
    np.testing.assert_allclose(lesson.weight, [1, 0.45])


def lesson(returns, values, outputs=None):
    columns = lambda rows: jnp.array(rows, jnp.float32)[None]  # noqa: E731
    given = columns(returns), columns(values), columns(outputs or values)
    return Lesson(*given, jnp.ones((1, len(returns))))


def test_critics_learn_returns_in_squashed_units_and_returns_learn_nothing():
    taught = lesson([[3.0], [0.0]], [[0.0], [0.0]], [[0.003], [2.0]])
    assert float(critic_loss(taught)) == pytest.approx((1 + 4) / 2, rel=1e-5)
    gradient = jax.grad(critic_loss)(taught)
    np.testing.assert_array_equal(gradient.returns, 0)
    assert float(squash(jnp.float32(3.0))) == pytest.approx(1.003)


def test_the_actor_weighs_critics_by_share_in_units_of_their_spread():
    """Returns (0, 2) have spread 1 and (0, 20) have 10: advantages (-1, 1) and (1, -1) at shares 1 and 0.5 are
    (-0.5, 0.5), standardised (-1, 1)."""
    taught = lesson([[0.0, 0.0], [2.0, 20.0]], [[1.0, -10.0], [1.0, 30.0]])
    log_prob = jnp.array([[-1.0, -3.0]])
    assert float(actor_loss(taught, log_prob, (1.0, 0.5))) == pytest.approx((-1 + 3) / 2, rel=1e-5)
    assert float(actor_loss(taught, log_prob, (1.0, 2.0))) == pytest.approx((1 - 3) / 2, rel=1e-5)


def test_the_error_of_a_code_and_its_kl(learner):
    """Even logits have no KL; the error is that of the decoded code."""
    goals = learner.model.goals
    even = eqx.tree_at(lambda g: g.encoder, goals, lambda latent: jnp.zeros(SIZES.codes * SIZES.classes))
    latent = jnp.arange(SIZES.latent) / 10.0
    error, kl = code_loss(even, latent, jax.random.key(0))
    assert float(kl) == pytest.approx(0, abs=1e-6)
    codes = np.array(np.meshgrid(*[range(SIZES.classes)] * SIZES.codes)).reshape(SIZES.codes, -1).T
    decoded = jax.vmap(lambda code: goals.decode(jax.nn.one_hot(code, SIZES.classes)))(codes)
    errors = np.asarray(((decoded - latent) ** 2).sum(axis=1))
    assert np.isclose(errors, float(error), rtol=1e-5).any()


def test_imagination_teaches_policies_alone_and_picks_no_node_twice(learner, game):
    """No gradient reaches the world model or the decoder; with as many steps as legal nodes each is picked once."""
    model, legal = learner.model, jnp.arange(12) < 4
    state = jax.tree.map(lambda leaf: leaf[0], game.states)
    latent, nodes = model.world.encode(AGENT.problem.observe(game.instance, state))
    plan = timetable(2, 2, 4)

    def total(model):
        made = imagine(model, plan, latent, nodes, legal, jax.random.key(2))
        return (made.log_prob + made.code_log_prob).sum() + made.latents.sum(), made

    gradient, made = eqx.filter_grad(total, has_aux=True)(model)
    assert made.latents.shape == (5, SIZES.latent)
    assert all((leaf == 0).all() for leaf in jax.tree.leaves((gradient.world, gradient.goals)))
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(gradient.worker))
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(gradient.manager))
    np.testing.assert_array_equal(made.goals[0], made.goals[1])
    assert float(made.log_prob[3]) == 0
    paid = rewards_of(model, made)
    expected = [max_cosine(goal, latent) for goal, latent in zip(made.goals, made.latents[1:], strict=True)]
    np.testing.assert_allclose(paid.goal, expected, rtol=1e-5)


class FixedWorld(WorldModel):
    """The first number of a latent is the share of the budget that is left; each step adds 1 to it. All rewards are as
    likely, the end is as likely as not, and features are 0."""

    def encode(self, observation):
        nodes = observation.nodes
        return jnp.zeros(SIZES.latent).at[0].set(observation.globals[1]), nodes

    def step(self, latent, node, ends_day):
        return latent.at[0].add(1.0)

    def reward_logits(self, before, after):
        return jnp.zeros(SIZES.reward_bins)


def test_the_world_model_by_hand(game):
    """Four picks and two steps that were not made. The later state is that after two picks: predicted 1 + 2, encoded
    2/4, so the squared distance is 2.5². Features count over five states and the later one again."""
    draws = jnp.array([0.0, 0.4])
    segment = segment_of(AGENT.problem, game, 6, draws)
    seen = AGENT.problem.observe(game.instance, segment.state)
    world = FixedWorld(seen, SIZES, AGENT.largest_reward, key=jax.random.key(0))
    nothing = lambda world: (world.features, world.goes_on)  # noqa: E731
    size = segment.features.shape[1]
    world = eqx.tree_at(nothing, world, (lambda latent: jnp.zeros(size), lambda latent: jnp.zeros(1)))
    terms, encoded = world_loss(world, SETTINGS.config.loss, AGENT, segment)
    assert (int(game.num_picks.sum()), int(segment.later)) == (4, 2)
    assert float(terms["reward"]) == pytest.approx(np.log(SIZES.reward_bins), rel=1e-5)
    assert float(terms["goes_on"]) == pytest.approx(np.log(2), rel=1e-5)
    assert float(terms["consistency"]) == pytest.approx(2.5**2, rel=1e-5)
    squares = (np.asarray(segment.features) ** 2).sum(axis=1)
    assert float(terms["features"]) == pytest.approx((squares[:5].sum() + squares[2]) / 6, rel=1e-5)
    np.testing.assert_allclose(encoded.latents[:, 0], [1, 2, 3, 4, 5, 6, 7])


def test_codes_count_where_steps_were_made(learner):
    """Even logits, and a decoder that says 0: the error of a latent is its square. Of two segments with one step each
    the second was not made: the mean is over three latents."""
    goals = eqx.tree_at(
        lambda g: (g.encoder, g.decoder),
        learner.model.goals,
        (lambda latent: jnp.zeros(SIZES.codes * SIZES.classes), lambda code: jnp.zeros(SIZES.latent)),
    )
    latents = jnp.zeros((2, 2, SIZES.latent)).at[:, :, 0].set(jnp.array([[1.0, 2.0], [3.0, 100.0]]))
    error, kl = mean_code_loss(goals, latents, jnp.array([[True], [False]]), jax.random.key(0))
    assert float(error) == pytest.approx((1 + 4 + 9) / 3, rel=1e-5)
    assert float(kl) == pytest.approx(0, abs=1e-6)


def test_a_segment_replays_the_game(game):
    """Features, picks and rewards from the first day on; the later state is the one after so many picks."""
    total = int(game.num_picks.sum())
    draws = jnp.array([0.0, 0.6])
    segment = segment_of(AGENT.problem, game, total + 2, draws)
    np.testing.assert_array_equal(segment.made, np.arange(total + 2) < total)
    np.testing.assert_array_equal(segment.goes_on[:total], np.arange(total) < total - 1)
    assert float(segment.reward[:total].sum()) == pytest.approx(float(game.reward.sum()), rel=1e-5)
    assert int(segment.later) == 1 + int(0.6 * total)
    left = SETTINGS.instance.budget - np.arange(total + 1)
    np.testing.assert_allclose(segment.features[: total + 1, 4], left / SETTINGS.instance.budget, rtol=1e-6)
    assert int(segment.later_state.budget_left) == left[int(segment.later)]
    seen = AGENT.problem.observe(game.instance, segment.later_state).nodes.mean(axis=0)
    np.testing.assert_allclose(segment.features[int(segment.later), :3], seen, rtol=1e-5)


@pytest.mark.parametrize("stride", [0, 1, 2])
def test_a_goal_lasts_for_a_day_or_for_its_stride(learner, game, stride):
    """Four picks a day at play time: each is the best for the goal of the stretch that it stands in."""
    model, problem = learner.model, AGENT.problem
    instance = replace(game.instance, budget=jnp.int32(12))
    agent = replace(AGENT.fitted(3, 12), settings=replace(SETTINGS.config, stride=stride))
    day = agent.decide(model, instance, problem.reset(instance), jax.random.key(0))
    assert int(day.budget) == int(day.record.num_picks) == 4
    state, goal = problem.reset(instance), None
    for number, node in enumerate(np.asarray(day.record.picks)[:4]):
        latent, nodes = model.world.encode(problem.observe(instance, state))
        goal = choose_goal(model, latent) if number % (stride or 4) == 0 else goal
        logits = model.worker(model.worker.keys(nodes), latent, goal, problem.legal(instance, state))
        assert int(jnp.argmax(logits)) == node
        state = problem.pick(instance, state, jnp.int32(node))


def test_budgets_are_even(game):
    """4 picks in 3 days: 1, 1 and the rest."""
    np.testing.assert_array_equal(game.num_picks[:3], [1, 1, 2])
    np.testing.assert_array_equal(game.budget[:3], [1, 1, 2])
