"""Self-play, replay and updates on tiny networks: what is stored is what happened, and learning lowers its losses."""

from dataclasses import replace
from itertools import combinations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.lmta import Agent
from lmta.config import Config, ModelConfig, SearchConfig, TrainConfig
from lmta.model.networks import Lmta, first_ambitions
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.training.collect import _hastes, self_play
from lmta.training.epoch import epsilon, learn, play_games, store
from lmta.training.game import pick_rewards
from lmta.training.replay import make_replay, num_steps, sample_high, sample_low, value_targets
from lmta.training.update import make_learner

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
TRAIN = TrainConfig(
    episodes=3, futures=3, high_updates=2, low_updates=2, games=5, steps=20, unroll=2, warm_up=1, target_every=3
)
CONFIG = Config(model=MODEL, search=SearchConfig(simulations=4), train=TRAIN)
DAYS, BUDGET, MAX_PICKS = 3, 5, 8
PROBLEM = BENCHMARKS["aim"].problem
AGENT = Agent(PROBLEM, CONFIG, DAYS, MAX_PICKS)


def instances(seed=0):
    settings = InstanceSettings(nodes=14, days=DAYS, budget=BUDGET)
    return PROBLEM.stack(BENCHMARKS["aim"].instances(settings, seed, TRAIN.episodes), min_edges=128)


@pytest.fixture(scope="module")
def learner():
    return make_learner(Lmta(3, 2, BUDGET, MODEL, key=jax.random.key(0)), CONFIG)


@pytest.fixture(scope="module")
def games(learner):
    return play_games(AGENT, learner, instances(), jnp.int32(5), jax.random.key(1))


@pytest.fixture(scope="module")
def replay(games):
    return store(make_replay(jax.tree.map(lambda leaf: leaf[0], games), TRAIN.games), games)


def one(tree, n):
    return jax.tree.map(lambda leaf: leaf[n], tree)


def test_a_game_is_consistent(games):
    """Rewards are the drop in inactive nodes; picks were legal and within the budget; forecasts match the states."""
    for n in range(TRAIN.episodes):
        game = one(games, n)
        inactive = (np.asarray(game.mornings.status) == 0).sum(axis=1)
        np.testing.assert_array_equal(game.reward, inactive[:-1] - inactive[1:])
        assert int(game.num_picks.sum()) <= BUDGET
        assert (np.asarray(game.num_picks) <= np.asarray(game.budget)).all()
        np.testing.assert_allclose(game.policy.sum(axis=1), 1, rtol=1e-5)
        for day in range(DAYS):
            state, instance = one(game.mornings, day), game.instance
            for i in range(int(game.num_picks[day])):
                assert float(game.forecasts[day, i]) == pytest.approx(
                    float(PROBLEM.forecast(instance, state)), abs=1e-4
                )
                assert bool(PROBLEM.legal(instance, state)[game.picks[day, i]])
                state = PROBLEM.pick(instance, state, game.picks[day, i])
            last = game.forecasts[day, int(game.num_picks[day])]
            assert float(last) == pytest.approx(float(PROBLEM.forecast(instance, state)), abs=1e-4)


def test_futures_of_an_instance_share_its_luck(learner):
    """Games of a group that pick the same on the first day wake up to the same second morning."""
    same = jax.tree.map(lambda leaf: jnp.repeat(leaf[:1], TRAIN.episodes, axis=0), instances())
    settled = eqx.tree_at(lambda a: a.low_steps, learner, jnp.int32(100_000))
    nights, differ = set(), False
    for n in range(8):
        games = play_games(AGENT, settled, same, jnp.int32(5), jax.random.key(n))
        assert float(jnp.abs(games.surplus.sum())) < 1e-4
        differ |= bool((games.surplus != 0).any())
        for a, b in combinations(range(TRAIN.episodes), 2):
            if games.num_picks[a, 0] > 0 and (games.picks[a, 0] == games.picks[b, 0]).all():
                np.testing.assert_array_equal(games.mornings.status[a, 1], games.mornings.status[b, 1])
                nights.add((n, tuple(games.mornings.status[a, 1].tolist())))
    assert differ
    assert len({night for _, night in nights}) > 1


def test_every_other_group_picks_without_chance_and_only_such_games_have_a_surplus(learner):
    """Two groups of three; ε is 0.9, so the second group's first picks differ from the best in nearly every game."""
    six = PROBLEM.stack(BENCHMARKS["aim"].instances(InstanceSettings(nodes=14, days=DAYS, budget=BUDGET), 0, 6))
    best, surpluses = {0: [], 1: []}, []
    for n in range(4):
        games = play_games(AGENT, learner, six, jnp.int32(5), jax.random.key(n))
        assert (games.surplus[3:] == 0).all()
        surpluses += games.surplus[:3].tolist()
        for game in range(6):
            instance, state = one(six, game), one(one(games.mornings, game), 0)
            if int(games.num_picks[game, 0]) > 0:
                node, _ = AGENT.chooser(learner.model, instance, games.subgoal[game, 0], games.budget[game, 0])(
                    state, jnp.int32(0)
                )
                best[game // 3].append(int(node) == int(games.picks[game, 0, 0]))
    assert any(surpluses)
    assert all(best[0]) and len(best[0]) > 3
    assert np.mean(best[1]) < 0.5 and len(best[1]) > 3


def test_all_subgoals_are_tried_while_warming_up(learner):
    """An episode keeps to one, and each of four is as likely: 120 episodes, within four standard deviations of 30."""
    drawn = []
    for n in range(40):
        warm = play_games(AGENT, learner, instances(), jnp.int32(0), jax.random.key(n))
        np.testing.assert_allclose(warm.subgoal_log_prob, np.log(1 / 4), rtol=1e-5)
        assert (warm.subgoal == warm.subgoal[:, :1]).all()
        assert (warm.surplus == 0).all()
        drawn += warm.subgoal[:, 0].tolist()
    counts = np.bincount(drawn, minlength=4)
    assert counts.sum() == 40 * TRAIN.episodes
    assert (abs(counts - counts.mean()) < 4 * np.sqrt(120 * 3 / 16)).all()


@pytest.mark.parametrize("teach", [False, True])
def test_games_that_stray_have_a_surplus_only_if_they_may_teach(learner, teach):
    """Three games with the same noise that keep to one subgoal each, without random picks."""
    agent = replace(AGENT, config=replace(CONFIG, train=replace(TRAIN, futures=3, strays_teach=teach)))
    same = jax.tree.map(lambda leaf: jnp.repeat(leaf[:1], 3, axis=0), instances())
    play = lambda n: self_play(agent, learner.model, same, jnp.zeros(3), jnp.ones(()), jax.random.key(n))  # noqa: E731
    assert any(bool((play(n).surplus != 0).any()) for n in range(5)) is teach


def test_the_likelihood_of_each_subgoal_is_kept(games):
    """One of five episodes takes any of the four subgoals, the others those of the search policy."""
    taken = np.take_along_axis(np.asarray(games.policy), np.asarray(games.subgoal)[..., None], axis=2)[..., 0]
    np.testing.assert_allclose(games.subgoal_log_prob, np.log(0.8 * taken + 0.2 / 4), rtol=1e-4)


def test_the_ring_forgets_the_oldest(games):
    ring = make_replay(one(games, 0), 5)
    ring = store(ring, games)
    later = eqx.tree_at(lambda g: g.value, games, games.value + 100)
    ring = store(ring, later)
    assert (int(ring.size), int(ring.cursor)) == (5, 1)
    is_new = np.asarray(ring.games.value[:, 0]) > 50
    assert is_new.tolist() == [True, False, False, True, True]
    np.testing.assert_array_equal(ring.games.value[0], later.value[2])


@pytest.mark.parametrize(("low_steps", "horizon"), [(1, "episode"), (3, "episode"), (1, "day")])
def test_low_samples_are_the_steps_of_the_games(games, replay, low_steps, horizon):
    """Every sampled transition is found among the games, with its rewards, and leads where the game went."""
    expected = set()
    for n in range(TRAIN.episodes):
        game = one(games, n)
        rewards = pick_rewards(game.num_picks, game.forecasts, game.reward)
        steps = [(d, i) for d in range(DAYS) for i in range(game.num_picks[d])]
        for at, (day, i) in enumerate(steps):
            total = sum(0.5**j * float(rewards[step]) for j, step in enumerate(steps[at : at + low_steps]))
            then = steps[at + low_steps][0] if at + low_steps < len(steps) else None
            goes_on = then == day if horizon == "day" else then is not None
            expected.add((int(game.picks[day, i]), round(total, 3), goes_on, int(game.budget[day]) - i))
    assert int(num_steps(replay)) == int(games.num_picks.sum())
    train = replace(TRAIN, low_batch=200, low_steps=low_steps, low_discount=0.5)
    config = replace(CONFIG, model=replace(MODEL, low_horizon=horizon), train=train)
    batch = sample_low(PROBLEM, replay, config, jax.random.key(2))
    got = {
        (int(node), round(float(reward), 3), bool(goes_on), int(left))
        for node, reward, goes_on, left in zip(batch.node, batch.reward, batch.goes_on, batch.picks_left, strict=True)
    }
    assert got == expected
    legal = jax.vmap(PROBLEM.legal)(batch.instance, batch.state)
    assert bool(jnp.take_along_axis(legal, batch.node[:, None], axis=1).all())
    active = jnp.take_along_axis(batch.next_state.status, batch.node[:, None], axis=1)[:, 0]
    assert (np.asarray(active) > 0).all()


def test_only_the_newest_steps_are_drawn(games, replay):
    """With room for one step, only the newest game is drawn from."""
    newest = one(games, TRAIN.episodes - 1)
    batch = sample_low(PROBLEM, replay, replace(CONFIG, train=replace(TRAIN, low_batch=30, steps=1)), jax.random.key(3))
    assert set(batch.node.tolist()) <= set(newest.picks[newest.picks >= 0].tolist())


def test_high_samples_end_with_the_game(replay):
    batch = sample_high(replay, replace(CONFIG, train=replace(TRAIN, high_batch=64)), jax.random.key(4))
    day = np.asarray(batch.state.day)
    np.testing.assert_array_equal(np.asarray(batch.live).sum(axis=1), np.minimum(DAYS - day, TRAIN.unroll + 1))
    over = np.asarray(batch.live) == 0
    assert (np.asarray(batch.value)[over] == 0).all()
    next_days = np.minimum(day[:, None] + 1 + np.arange(TRAIN.unroll), DAYS)
    np.testing.assert_array_equal(batch.next_states.day, next_days)
    assert set(day.tolist()) == set(range(DAYS))


def test_the_high_level_learns_from_the_newest_games(games):
    """With a window of one game every decision is the newest game's."""
    newest, again = one(games, TRAIN.episodes - 1), store(store(make_replay(one(games, 0), 5), games), games)
    assert int(again.cursor) == 1  # the newest stands first, where the ring has come round
    train = replace(TRAIN, high_batch=30, recent_games=1)
    batch = sample_high(again, replace(CONFIG, train=train), jax.random.key(4))
    np.testing.assert_array_equal(batch.instance.graph.weight, np.tile(newest.instance.graph.weight, (30, 1)))
    np.testing.assert_array_equal(batch.budget, newest.budget[batch.state.day])


def test_values_can_be_the_returns_that_followed(games, replay):
    """With γ_LL = 1 the return to go is the number of nodes influenced from that day on."""
    train = replace(TRAIN, high_batch=16, value_steps=99, low_discount=1.0)
    config = replace(CONFIG, train=train, search=replace(CONFIG.search, discount=1.0))
    batch = sample_high(replay, config, jax.random.key(4))
    np.testing.assert_allclose(batch.value[:, 0], batch.reward[:, 0] + batch.next_value, atol=1e-3)
    inactive = (np.asarray(batch.state.status) == 0).sum(axis=1)
    end = {}
    for n in range(TRAIN.episodes):
        game = one(games, n)
        end[tuple(np.asarray(game.instance.graph.weight).tolist())] = int((game.mornings.status[-1] == 0).sum())
    for row, weight in enumerate(np.asarray(batch.instance.graph.weight)):
        assert float(batch.value[row, 0]) == pytest.approx(inactive[row] - end[tuple(weight.tolist())], abs=1e-3)


def test_the_likelihood_of_each_budget_is_kept(games, learner):
    """It is the log-probability under the policy that chose it."""
    assert (np.asarray(games.budget_log_prob) < 0).any()
    assert (np.asarray(games.budget_log_prob) <= 0).all()
    game = one(games, 0)
    high, state = learner.model.high, one(game.mornings, 0)
    latent = high.encoder(PROBLEM.observe(game.instance, state))
    logits, _, _ = high.budget(latent, high.subgoals[game.subgoal[0]], state.budget_left, jnp.int32(DAYS))
    expected = float(jax.nn.log_softmax(logits)[game.budget[0]])
    assert float(game.budget_log_prob[0]) == pytest.approx(expected, abs=1e-4)


def test_learning_lowers_the_losses(learner, replay):
    """200 updates on one small replay, toward a target that stands still: the same 200 again fit better."""
    fit = replace(TRAIN, high_updates=200, low_updates=200, target_every=1000)
    agent = replace(AGENT, config=replace(CONFIG, train=fit))
    after, at_first = learn(agent, learner, replay, jnp.int32(5), jax.random.key(5))
    _, later = learn(agent, after, replay, jnp.int32(5), jax.random.key(5))
    for term in ("reward", "value", "policy", "budget_critic", "order_intended", "dynamics", "q"):
        assert float(later[term]) < float(at_first[term]), term
    assert int(after.low_steps) == 200


def test_the_target_waits_for_its_turn(learner, replay):
    """With a copy every three steps the target stands still for two, then it moves too."""
    after, _ = learn(AGENT, learner, replay, jnp.int32(5), jax.random.key(5))
    later, _ = learn(AGENT, after, replay, jnp.int32(6), jax.random.key(6))
    for old, new in zip(*map(_arrays, (learner.low_target, later.low_target)), strict=True):
        assert bool((old != new).any())
    for old, same in zip(*map(_arrays, (learner.low_target, after.low_target)), strict=True):
        np.testing.assert_array_equal(old, same)
    assert any(bool((a != b).any()) for a, b in zip(*map(_arrays, (after.model.low, learner.model.low)), strict=True))


def test_the_budget_policy_rests_while_warming_up_and_then_moves_at_its_rate(learner, replay):
    """Two steps of Adam at a rate of 1e-3 move a weight by 2e-3, weight decay aside."""
    head = lambda a: _arrays(a.model.high.budget.policy)  # noqa: E731
    warm, _ = learn(AGENT, learner, replay, jnp.int32(0), jax.random.key(5))
    on, _ = learn(AGENT, learner, replay, jnp.int32(5), jax.random.key(5))
    for before, rested, moved in zip(head(learner), head(warm), head(on), strict=True):
        np.testing.assert_allclose(rested, before, atol=1e-6)
        assert 1e-3 < float(jnp.abs(moved - before).max()) < 3e-3


def test_the_average_model_is_the_mean_and_then_forgets(learner, replay):
    """After the first epoch it is the model; later a tenth of the model and nine tenths of itself."""
    first, _ = learn(AGENT, learner, replay, jnp.int32(0), jax.random.key(5))
    later, _ = learn(AGENT, learner, replay, jnp.int32(50), jax.random.key(5))
    old, new = (_arrays(learner.average.low), _arrays(later.model.low))
    for average, model in zip(_arrays(first.average.low), _arrays(first.model.low), strict=True):
        np.testing.assert_allclose(average, model, atol=1e-6)
    for average, before, model in zip(_arrays(later.average.low), old, new, strict=True):
        np.testing.assert_allclose(average, 0.9 * before + 0.1 * model, atol=1e-6)


def test_a_value_target_counts_rewards_and_then_trusts_the_search():
    """Three days of four, rewards 1, 2, 4 and values 10, 20, 30 with γ = ½."""
    rewards, values, days = jnp.array([1.0, 2, 4, 9]), jnp.array([10.0, 20, 30, 99]), jnp.int32(3)
    of = lambda steps: value_targets(rewards, values, days, steps, 0.5).tolist()  # noqa: E731
    assert of(0) == [10, 20, 30, 0]
    assert of(1) == [1 + 10, 2 + 15, 4, 0]
    assert of(2) == [1 + 1 + 7.5, 2 + 2, 4, 0]
    assert of(99) == [1 + 1 + 1, 2 + 2, 4, 0]


def test_without_search_the_subgoal_policy_has_a_gradient_of_its_own(learner, games, replay):
    """A subgoal that earned 50, where others lost as much, becomes likelier."""
    train = replace(TRAIN, futures=1, high_updates=200, low_updates=0)
    config = replace(CONFIG, search=replace(CONFIG.search, planner="model-free"), train=train)
    taken = int(games.subgoal[0, 0])
    assert len(set(games.subgoal.ravel().tolist())) > 1
    earned = jnp.where(replay.games.subgoal == taken, 50.0, -50.0)
    drawn_evenly = jnp.full_like(replay.games.subgoal_log_prob, np.log(1 / 4))
    rich = eqx.tree_at(lambda r: (r.games.reward, r.games.subgoal_log_prob), replay, (earned, drawn_evenly))
    after, _ = learn(Agent(PROBLEM, config, DAYS, MAX_PICKS), learner, rich, jnp.int32(5), jax.random.key(5))

    def likelihood(model):
        game = one(games, 0)
        latent = model.high.encoder(PROBLEM.observe(game.instance, one(game.mornings, 0)))
        return float(jax.nn.softmax(model.high.prediction(latent)[0])[taken])

    assert likelihood(after.model) > likelihood(learner.model) + 0.05


def test_budgets_of_games_that_went_better_than_their_like_become_likelier(learner, games, replay):
    """Two games that differ in the first day's budget: the one with 3 earned one more than others, that with 1 less."""
    train = replace(TRAIN, high_updates=60, low_updates=0, budget_rate=0.01)
    twice = eqx.tree_at(lambda r: r.games, replay, jax.tree.map(lambda leaf: leaf.at[1].set(leaf[0]), replay.games))
    told = eqx.tree_at(
        lambda r: (r.games.surplus, r.games.budget, r.games.budget_log_prob),
        twice,
        (
            jnp.zeros(TRAIN.games).at[:2].set(jnp.array([1.0, -1.0])),
            twice.games.budget.at[:2, 0].set(jnp.array([3, 1])),
            jnp.full_like(replay.games.budget_log_prob, np.log(0.3)),
        ),
    )
    after, _ = learn(
        Agent(PROBLEM, replace(CONFIG, train=train), DAYS, MAX_PICKS), learner, told, jnp.int32(5), jax.random.key(5)
    )

    def preference(model):
        game, state, high = one(games, 0), one(one(games, 0).mornings, 0), model.high
        latent = high.encoder(PROBLEM.observe(game.instance, state))
        logits, _, _ = high.budget(latent, high.subgoals[game.subgoal[0]], state.budget_left, jnp.int32(DAYS))
        return float(logits[3] - logits[1])

    assert preference(after.model) > preference(learner.model) + 0.05


GUIDED = Agent(
    BENCHMARKS["aim"].guided,
    replace(
        CONFIG,
        model=replace(CONFIG.model, free_budgets=False, low_level="guided", pace="guide"),
        train=replace(TRAIN, haste=0.5, low_updates=0, epsilon_first=0.0, epsilon_last=0.0),
    ),
    DAYS,
    MAX_PICKS,
)


def test_urgencies_are_tried_around_what_was_learned_with_half_in_common():
    """Over 4,000 episodes of two days: a spread of 0.5 each, correlated by one half; none tried with a spread of 0."""
    tried = np.asarray(jax.vmap(lambda key: _hastes(0.5, 2, key))(jax.random.split(jax.random.key(1), 4000)))
    np.testing.assert_allclose(tried.mean(axis=0), 0.0, atol=0.04)
    np.testing.assert_allclose(tried.std(axis=0), 0.5, atol=0.03)
    assert np.corrcoef(tried.T)[0, 1] == pytest.approx(0.5, abs=0.06)
    assert not np.asarray(_hastes(0.0, 3, jax.random.key(1))).any()


def test_paces_of_games_that_went_better_than_their_like_are_taken_up():
    """Where games were the better the hastier they were, the first day's urgency grows; where the worse, it falls."""
    first = one(instances(), 0)
    seen = GUIDED.problem.observe(first, GUIDED.problem.reset(first))
    model = Lmta(seen.nodes.shape[1], seen.globals.shape[0], BUDGET, GUIDED.config.model, key=jax.random.key(2))
    learner = make_learner(model, GUIDED.config)
    games = play_games(GUIDED, learner, instances(), jnp.int32(5), jax.random.key(3))
    game, state = one(games, 0), one(one(games, 0).mornings, 0)

    def urgency(model):
        latent = model.high.encoder(GUIDED.problem.observe(game.instance, state))
        z = model.high.subgoals[game.subgoal[0]]
        return float(model.high.budget(latent, z, state.budget_left, jnp.int32(DAYS))[1])

    assert float(game.urgency[0] - game.haste[0]) == pytest.approx(urgency(model), abs=1e-4)
    assert (np.asarray(games.haste) != 0).all()
    np.testing.assert_array_equal(games.budget, games.num_picks)  # the guide's pace
    train = replace(GUIDED.config.train, high_updates=60, budget_rate=0.01)
    agent = replace(GUIDED, config=replace(GUIDED.config, train=train))
    found = {}
    for sign in (1.0, -1.0):
        told = eqx.tree_at(lambda g: g.surplus, games, sign * games.haste.mean(axis=1))
        replay = store(make_replay(game, TRAIN.games), told)
        after, _ = learn(agent, learner, replay, jnp.int32(5), jax.random.key(5))
        found[sign] = urgency(after.model)
    assert found[1.0] > urgency(model) > found[-1.0]
    drawn = replace(agent, config=replace(agent.config, loss=replace(agent.config.loss, urgency=10.0)))
    after, terms = learn(drawn, learner, replay, jnp.int32(5), jax.random.key(5))
    assert abs(urgency(after.model)) < abs(found[-1.0])
    assert float(terms["urgency"]) > 0


def test_subgoals_keep_their_ambitions_beside_the_favourite():
    """The search's favourite, here always the last, is drawn to an even pace; the first stays as far behind it."""
    loss = replace(AGENT.config.loss, ambition=100.0, entropy=0.0)
    train = replace(AGENT.config.train, high_updates=120, low_updates=0, budget_rate=0.01)
    agent = replace(AGENT, config=replace(AGENT.config, loss=loss, train=train))
    first = one(instances(), 0)
    seen = agent.problem.observe(first, agent.problem.reset(first))
    model = Lmta(seen.nodes.shape[1], seen.globals.shape[0], BUDGET, agent.config.model, key=jax.random.key(2))
    learner = make_learner(model, agent.config)
    games = play_games(agent, learner, instances(), jnp.int32(5), jax.random.key(3))
    last = agent.config.model.subgoals - 1
    games = eqx.tree_at(lambda g: g.policy, games, jnp.zeros_like(games.policy).at[..., last].set(1.0))
    replay = store(make_replay(one(games, 0), TRAIN.games), games)
    after, terms = learn(agent, learner, replay, jnp.int32(5), jax.random.key(5))
    assert float(terms["ambition"]) > 0

    def urgencies(high):
        latent = high.encoder(agent.problem.observe(first, agent.problem.reset(first)))
        return [float(high.budget(latent, z, jnp.int32(BUDGET), jnp.int32(DAYS))[1]) for z in high.subgoals]

    apart = first_ambitions(agent.config.model)[0] - first_ambitions(agent.config.model)[last]
    assert urgencies(model.high)[last] > 0.3
    found = urgencies(after.model.high)
    assert found[last] == pytest.approx(0.0, abs=0.1)
    assert found[0] == pytest.approx(float(apart), abs=0.1)


def test_exploration_shrinks_to_its_floor():
    assert float(epsilon(AGENT, jnp.int32(0))) == pytest.approx(0.90)
    assert float(epsilon(AGENT, jnp.int32(100))) == pytest.approx(0.90 * 0.995**100, rel=1e-4)
    assert float(epsilon(AGENT, jnp.int32(10_000))) == pytest.approx(0.05)


def _arrays(module):
    return jax.tree.leaves(eqx.filter(module, eqx.is_array))
