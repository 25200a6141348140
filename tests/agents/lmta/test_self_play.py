"""Self-play of LMTA on tiny networks: what is stored is what happened, and says truly what it may teach."""

from itertools import combinations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import BUDGET, DAYS, tiny

from lmta.agents.settings import make_agent, make_model
from lmta.training.run import draw_instances

PRESETS = ("lmta", "paper")
WARM, LATER = jnp.int32(0), jnp.int32(5)


class Play:
    """Games of a preset at its beginning, when nine of ten picks are random where picks are random at all."""

    def __init__(self, preset):
        self.settings = tiny(preset=preset)
        self.agent = make_agent(self.settings)
        self.learner = self.agent.begin(make_model(self.settings, key=jax.random.key(0)))
        self.instances = draw_instances(self.settings, 0)

    def games(self, epoch, seed=1, settled=False):
        """With `settled` hardly any pick is random."""
        steps = jnp.int32(100_000 if settled else 0)
        learner = eqx.tree_at(lambda a: a.low_steps, self.learner, steps)
        return self.agent.play(learner, self.instances, epoch, jax.random.key(seed))


@pytest.fixture(scope="module")
def plays():
    return {preset: Play(preset) for preset in PRESETS}


def one(tree, *n):
    return jax.tree.map(lambda leaf: leaf[n], tree)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_is_consistent(plays, preset):
    """Rewards are the drop in inactive nodes; picks were legal and within the budget; forecasts match the states."""
    problem, games = plays[preset].agent.problem, plays[preset].games(LATER)
    inactive = np.asarray((games.states.status == 0) & games.instance.graph.node_mask[:, None]).sum(axis=2)
    np.testing.assert_array_equal(games.reward, inactive[:, :-1] - inactive[:, 1:])
    assert (games.num_picks.sum(axis=1) <= BUDGET).all()
    assert (games.num_picks <= games.budget).all()
    assert games.num_picks.sum() > 0
    np.testing.assert_allclose(games.policy.sum(axis=2), 1, rtol=1e-5)
    forecast, legal, pick = (jax.jit(rule) for rule in (problem.forecast, problem.legal, problem.pick))
    for n, day in np.ndindex(2, DAYS):
        instance, state = one(games.instance, n), one(games.states, n, day)
        for i in range(int(games.num_picks[n, day])):
            assert float(games.forecasts[n, day, i]) == pytest.approx(float(forecast(instance, state)), abs=1e-4)
            assert bool(legal(instance, state)[games.picks[n, day, i]])
            state = pick(instance, state, games.picks[n, day, i])
        last = games.forecasts[n, day, int(games.num_picks[n, day])]
        assert float(last) == pytest.approx(float(forecast(instance, state)), abs=1e-4)


def test_games_of_a_group_share_instance_and_noise(plays):
    """Those that pick the same on the first day come to the same second day; the groups' advantages add up to 0."""
    seen, advantages = set(), []
    for seed in range(6):
        games = plays["lmta"].games(LATER, seed, settled=True)
        advantages.append(np.asarray(games.advantage).reshape(-1, 2))
        for pair in (range(n, n + 2) for n in range(0, 8, 2)):
            for a, b in combinations(pair, 2):
                np.testing.assert_array_equal(games.instance.graph.weight[a], games.instance.graph.weight[b])
                if games.num_picks[a, 0] > 0 and set(games.picks[a, 0].tolist()) == set(games.picks[b, 0].tolist()):
                    np.testing.assert_array_equal(games.states.status[a, 1], games.states.status[b, 1])
                    seen.add(tuple(games.states.status[a, 1].tolist()))
    assert len(seen) > 1
    np.testing.assert_allclose(np.sum(advantages, axis=2), 0, atol=1e-4)
    assert np.any(np.array(advantages) != 0)


def test_every_other_group_picks_without_chance_and_only_these_teach(plays):
    """Games 0, 1, 4, 5 take the best picks. Values learn only where the subgoals are the search's own too."""
    play = plays["lmta"]
    games = play.games(LATER)
    teaches = np.array([1, 1, 0, 0, 1, 1, 0, 0], bool)
    np.testing.assert_array_equal(games.teaches_model, teaches)
    np.testing.assert_array_equal(games.teaches_budgets, teaches)  # exploratory episodes teach budgets here
    assert not games.teaches_values[~teaches].any()
    assert (games.advantage[~teaches] == 0).all()
    best = jax.jit(lambda *given: play.agent.make_picks(play.learner.model, *given).picks)
    same = []
    for n, day in np.ndindex(8, DAYS):
        if games.num_picks[n, day] > 0:
            wanted = best(
                one(games.instance, n), one(games.states, n, day), games.subgoal[n, day], games.budget[n, day]
            )
            same.append((bool(teaches[n]), bool((wanted == games.picks[n, day]).all())))
    assert all(equal for without_chance, equal in same if without_chance)
    assert np.mean([equal for without_chance, equal in same if not without_chance]) < 0.5
    assert len(same) > 8


def test_some_games_keep_to_one_subgoal_for_some_days(plays):
    """A share of 0.2 of 80 games, within four standard deviations, for one day to all as it comes; values learn from
    the days after those, which are the search's own."""
    games = [plays["lmta"].games(LATER, seed, settled=True) for seed in range(20)]
    without_chance = np.tile([True, True, False, False], 40)
    taught = np.concatenate([g.teaches_values for g in games])[without_chance]
    subgoals = np.concatenate([g.subgoal for g in games])[without_chance]
    kept = (~taught).sum(axis=1)
    assert (np.sort(taught, axis=1) == taught).all()  # once the search has taken over it goes on
    assert abs((kept > 0).mean() - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 80)
    assert set(kept.tolist()) == set(range(DAYS + 1))
    for days, chosen in zip(kept, subgoals, strict=True):
        assert (chosen[:days] == chosen[0]).all()


def test_while_warming_up_all_episodes_are_exploratory_and_all_subgoals_tried(plays):
    """Each begins with one of four, each as likely: 160 episodes, within four standard deviations of 40."""
    games = [plays["lmta"].games(WARM, seed) for seed in range(20)]
    assert not any(g.teaches_values[:, 0].any() for g in games)
    first = np.concatenate([g.subgoal[:, 0] for g in games])
    assert (abs(np.bincount(first, minlength=4) - 40) < 4 * np.sqrt(160 * 3 / 16)).all()


def test_the_paper_warms_up_with_average_budgets_and_its_own_search(plays):
    """4 in 3 days are 1, 1 and the rest; every game teaches everything; later budgets are drawn."""
    warm, later = plays["paper"].games(WARM), plays["paper"].games(LATER)
    np.testing.assert_array_equal(warm.budget, np.tile([1, 1, 2], (8, 1)))
    assert not (warm.subgoal == warm.subgoal[:, :1]).all()
    assert not (later.budget == warm.budget).all()
    for games in (warm, later):
        assert (games.teaches_budgets & games.teaches_model).all() and games.teaches_values.all()
        assert (games.advantage == 0).all()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_likelihood_of_each_budget_is_kept(plays, preset):
    """It is the log-probability under the policy that chose it."""
    play = plays[preset]
    games, high, problem = play.games(LATER), play.learner.model.high, play.agent.problem

    @jax.jit
    def log_prob(instance, state, subgoal, budget):
        latent = high.encoder(problem.observe(instance, state))
        logits, _ = high.budgets(latent, subgoal, state.budget_left, instance.days - state.day)
        return jax.nn.log_softmax(logits)[budget]

    for n, day in np.ndindex(3, DAYS):
        place = one(games.instance, n), one(games.states, n, day)
        expected = float(log_prob(*place, games.subgoal[n, day], games.budget[n, day]))
        assert float(games.budget_log_prob[n, day]) == pytest.approx(expected, abs=1e-4)
    assert (games.budget_log_prob < -0.01).any()
