"""A campaign on one's own network, day by day, with what was observed in between."""

import networkx as nx

import lmta

FRIENDS = (
    # source, target: who listens to whom
    ("ann", "bob"),
    ("ann", "cyd"),
    ("bob", "dan"),
    ("cyd", "dan"),
    ("cyd", "eve"),
    ("dan", "fay"),
    ("eve", "fay"),
    ("gus", "ann"),
)
OBSERVED = (["bob", "cyd"], ["dan"], [])


def main() -> None:
    campaign = lmta.Campaign(nx.DiGraph(FRIENDS), days=3, budget=2)
    adviser = lmta.policy("average-lookahead")
    for activated in OBSERVED:
        decision = adviser.decide(campaign)
        print(f"Day {decision.day}: seed {list(decision.nodes)}. {decision.why}")
        campaign.advance(seeded=decision.nodes, activated=[n for n in activated if n not in decision.nodes])
    print(f"{campaign.influenced} of {len(campaign.ids)} reached.")


if __name__ == "__main__":
    main()
