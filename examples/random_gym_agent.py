"""A masked random agent on the Gymnasium view, as any library for masked actions would run."""

import gymnasium
import numpy as np

from lmta.problems import environments

gymnasium.register_envs(environments)


def main() -> None:
    env = gymnasium.make("lmta/SOP-v0", nodes=50, days=5, budget=15)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    score, done = 0.0, False
    while not done:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, terminated, truncated, info = env.step(action)
        score, done = score + float(reward), terminated or truncated
    print(f"A random agent earned {score:.2f}.")


if __name__ == "__main__":
    main()
