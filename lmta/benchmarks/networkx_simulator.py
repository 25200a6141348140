"""The independent cascade as one would write it with NetworkX: the yardstick of `lmta bench simulate`."""

import random

import networkx as nx


class NetworkXCampaign:
    """Seeds and cascades on a NetworkX graph; the status of a node is one of its attributes."""

    def __init__(self, graph: nx.DiGraph, days: int, budget: int, rng: random.Random):
        self.graph = graph
        self.days = days
        self.budget_left = budget
        self.rng = rng
        nx.set_node_attributes(graph, dict.fromkeys(graph, "inactive"), "status")

    def with_status(self, status: str) -> list:
        """The nodes that are inactive, active or removed."""
        return [node for node, its_status in self.graph.nodes(data="status") if its_status == status]

    def seed(self, node) -> None:
        """Spend one of the budget on a node."""
        self.graph.nodes[node]["status"] = "active"
        self.budget_left -= 1

    def end_day(self) -> int:
        """Let every active node try its inactive out-neighbours once; the number of nodes hit."""
        hit = set()
        active = self.with_status("active")
        for node in active:
            for neighbour in self.graph.successors(node):
                probability = self.graph.edges[node, neighbour]["probability"]
                if self.graph.nodes[neighbour]["status"] == "inactive" and self.rng.random() < probability:
                    hit.add(neighbour)
        nx.set_node_attributes(self.graph, dict.fromkeys(active, "removed"), "status")
        nx.set_node_attributes(self.graph, dict.fromkeys(hit, "active"), "status")
        return len(hit)


def random_episode(graph: nx.DiGraph, days: int, budget: int, rng: random.Random) -> int:
    """Spend the budget evenly on random inactive nodes; the number of nodes influenced."""
    campaign = NetworkXCampaign(graph, days, budget, rng)
    influenced = 0
    for _ in range(days):
        for _ in range(budget // days):
            inactive = campaign.with_status("inactive")
            if inactive:
                campaign.seed(rng.choice(inactive))
                influenced += 1
        influenced += campaign.end_day()
    return influenced
