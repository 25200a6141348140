"""A tour through one's own cities, with profits that change from day to day."""

import lmta

CITIES = {
    # name: (x, y, profit); the first is the start
    "home": (0.0, 0.0, 0.0),
    "inn": (1.0, 0.2, 0.9),
    "mill": (0.4, 1.1, 0.7),
    "port": (2.0, 1.5, 1.0),
    "farm": (1.6, 0.4, 0.6),
    "ford": (0.8, 1.9, 0.8),
}
SEEN = ({"farm": 0.75}, {"ford": 0.5}, {})


def main() -> None:
    tour = lmta.Tour(CITIES, days=3, budget=4)
    adviser = lmta.policy("even-insertion")
    for profits in SEEN:
        decision = adviser.decide(tour)
        known = {city: profit for city, profit in profits.items() if city not in decision.nodes}
        reward = tour.advance(visited=decision.nodes, profits=known)
        print(f"Day {decision.day}: visit {list(decision.nodes)}, worth {reward:.2f}.")
    print(f"{tour.collected:.2f} earned in all.")


if __name__ == "__main__":
    main()
