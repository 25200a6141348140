"""General routing solvers on one orienteering instance, each as its own documentation models optional visits.

They come with the extra `lmta[bench]`; without them the benchmark leaves them out.
"""

# pyright: reportMissingImports=false

import importlib.util
from collections.abc import Callable
from importlib.metadata import version

from lmta.benchmarks.oplib import Instance


def point(instance: Instance) -> int:
    """What a point of score is worth in units of length: more than any route is long, so length only breaks ties."""
    return int(instance.limit) + 1


def solve_pyvrp(instance: Instance, seconds: float, seed: int) -> list[int]:
    """PyVRP: optional clients with prizes, one vehicle with a maximal distance."""
    from pyvrp import Model  # noqa: PLC0415  (optional)
    from pyvrp.stop import MaxRuntime  # noqa: PLC0415

    model = Model()
    places = [model.add_location(0, 0) for _ in instance.score]
    depot = model.add_depot(places[0])
    for place, score in zip(places[1:], instance.score[1:], strict=True):
        model.add_client(place, prize=point(instance) * int(score), required=False)
    model.add_vehicle_type(1, start_depot=depot, end_depot=depot, max_distance=instance.limit)
    for a, row in zip(places, instance.matrix.astype(int).tolist(), strict=True):
        for b, length in zip(places, row, strict=True):
            model.add_edge(a, b, distance=length)
    found = model.solve(MaxRuntime(seconds), seed=seed, display=False)
    if not found.is_feasible():
        return []
    return [visit.idx + 1 for route in found.best.routes() for visit in route if visit.is_client()]


def solve_ortools(instance: Instance, seconds: float, seed: int) -> list[int]:
    """OR-Tools: visits that may be dropped at a penalty, a dimension for the length, guided local search."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2  # noqa: PLC0415  (optional)

    manager = pywrapcp.RoutingIndexManager(len(instance.score), 1, 0)
    model = pywrapcp.RoutingModel(manager)
    lengths = instance.matrix.astype(int).tolist()
    to_city = manager.IndexToNode
    transit = model.RegisterTransitCallback(lambda a, b: lengths[to_city(a)][to_city(b)])
    model.SetArcCostEvaluatorOfAllVehicles(transit)
    model.AddDimension(transit, 0, instance.limit, True, "length")
    for city, score in enumerate(instance.score[1:].astype(int).tolist(), 1):
        model.AddDisjunction([manager.NodeToIndex(city)], point(instance) * score)
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(int(1000 * seconds))
    found = model.SolveWithParameters(parameters)
    stops, index = [], model.Start(0)
    while found is not None and not model.IsEnd(index):
        stops.append(to_city(index))
        index = found.Value(model.NextVar(index))
    return stops[1:]


RIVALS: dict[str, Callable[[Instance, float, int], list[int]]] = {"pyvrp": solve_pyvrp, "ortools": solve_ortools}


def installed_rivals() -> dict[str, str]:
    """The solvers that are there, with their versions."""
    return {name: version(name) for name in RIVALS if importlib.util.find_spec(name)}
