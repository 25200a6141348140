"""The figures of the paper, as printed: (mean, s.e.m.) by row, in the order of the columns. None where there is none."""

from collections.abc import Mapping, Sequence

Published = tuple[float, float | None]
Figures = Mapping[str, Sequence[Published | None]]
"""Rows by the names that the tables here give them."""

AIM_MAIN: Figures = {
    "LMTA": ((286.11, 4.05), (303.50, 2.52), (324.15, 2.38), (161.71, 1.39)),
    "WS-option": ((268.23, 3.75), (280.44, 5.46), (301.53, 9.10), (123.02, 2.88)),
    "Flat DQN": ((255.56, 4.15), (171.80, 3.16), (243.46, 3.78), (111.46, 2.95)),
    "average-degree": ((268.16, 4.29), (292.83, 4.68), (311.35, 3.91), (137.26, 2.71)),
    "average-score": ((272.26, 4.38), (293.81, 4.75), (313.74, 3.02), (150.36, 3.01)),
    "normal-degree, first day": ((127.27, 2.43), (147.09, 2.81), (165.82, 2.15), (31.41, 1.05)),
    "normal-score, first day": ((134.31, 2.59), (155.74, 2.99), (172.95, 2.33), (34.43, 1.12)),
    "static-degree": ((266.51, 4.27), (287.66, 4.61), (296.18, 3.95), (117.26, 2.33)),
    "static-score": ((269.21, 4.31), (291.01, 4.69), (310.82, 4.00), (130.09, 2.65)),
}
"""Table 1. The rows of `normal` are what the first day alone earns."""

SOP_MAIN: Figures = {
    "LMTA": ((29.79, 0.46), (30.39, 0.67), (31.60, 1.94), (13.51, 0.45)),
    "WS-option": ((16.08, 1.32), (17.03, 0.99), (12.99, 1.25), (8.04, 2.41)),
    "Flat DQN": ((18.44, 0.18), (18.99, 1.06), (15.90, 0.67), (7.62, 0.22)),
    "ga": ((12.35, 0.21), (14.51, 0.27), (15.23, 0.22), (7.91, 0.18)),
    "greedy": ((17.17, 0.22), (21.91, 0.25), (23.58, 0.16), (4.89, 0.15)),
}
"""Table 2."""

ABLATIONS: Figures = {
    "A: WS-option": ((301.53, 9.10), (12.99, 1.25)),
    "B: + subgoal for the low level": ((309.52, 3.71), (17.03, 1.98)),
    "C: + subgoal for the budget": ((314.65, 3.80), (22.75, 1.05)),
    "D: + MTS, one fixed margin": ((322.04, 2.91), (28.62, 1.19)),
    "E: LMTA": ((324.15, 2.38), (31.60, 1.94)),
    "F: no search, DQN over subgoals": ((307.29, 5.62), (15.89, 1.91)),
}
"""Table 3: AIM, SOP; as the next four."""

LOSS_TERMS: Figures = {
    "LMTA": ((324.15, 2.38), (31.60, 1.94)),
    "without Pull": ((318.72, 3.20), (24.66, 1.55)),
    "without Push": ((319.61, 2.95), (25.14, 1.48)),
    "without Order": ((320.17, 2.92), (26.48, 1.52)),
}

SUBGOALS: Figures = {
    "AIM": ((320.85, 3.25), (324.15, 2.38), (323.89, 2.56)),
    "SOP": ((29.13, 1.16), (31.60, 1.94), (31.52, 1.39)),
}
SIMULATIONS_AIM: Figures = {"AIM": ((322.05, 3.88), (323.92, 2.45), (324.15, 2.38), (324.03, 2.21))}
SIMULATIONS_SOP: Figures = {"SOP": ((30.91, 2.18), (31.27, 1.25), (31.60, 1.94), (31.44, 1.36))}
UNROLL: Figures = {
    "AIM": ((322.93, 3.95), (324.15, 2.38), (324.02, 2.72)),
    "SOP": ((29.91, 2.21), (31.60, 1.94), (31.45, 2.28)),
}
CAP: Figures = {
    "AIM": ((324.01, 2.86), (324.15, 2.38), (323.94, 2.64)),
    "SOP": ((31.32, 1.82), (31.60, 1.94), (31.41, 1.85)),
}

AIM_ZERO_SHOT: Figures = {
    "LMTA": ((416.06, 5.81), (540.78, 6.92), (605.55, 7.54), (654.29, 8.11)),
    "WS-option": ((370.15, 5.25), (465.22, 6.13), (510.98, 6.88), (531.40, 7.21)),
    "Flat DQN": ((341.82, 5.40), (431.65, 6.12), (482.37, 6.78), (501.93, 7.05)),
    "average-degree": ((366.36, 5.11), (493.57, 6.45), (549.02, 7.02), (590.10, 7.63)),
    "average-score": ((387.80, 5.43), (498.78, 6.51), (572.56, 7.28), (617.14, 7.95)),
    "normal-degree, first day": ((166.01, 3.11), (174.82, 3.28), (180.55, 3.41), (184.61, 3.52)),
    "normal-score, first day": ((178.95, 3.35), (189.42, 3.55), (197.09, 3.71), (201.95, 3.83)),
    "static-degree": ((355.20, 4.98), (470.11, 6.21), (521.73, 6.91), (560.88, 7.44)),
    "static-score": ((371.44, 5.18), (482.90, 6.33), (550.16, 7.09), (599.23, 7.77)),
}
SOP_ZERO_SHOT: Figures = {
    "LMTA": ((31.27, 1.21), (33.39, 1.29), (36.15, 1.38), (38.88, 1.45)),
    "WS-option": ((18.63, 0.99), (19.07, 1.03), (20.52, 1.11), (21.23, 1.15)),
    "Flat DQN": ((20.41, 1.06), (22.18, 1.12), (23.95, 1.18), (25.72, 1.22)),
    "greedy": ((23.12, 1.10), (26.05, 1.19), (27.37, 1.24), (29.04, 1.30)),
    "ga": ((12.62, 0.85), (10.96, 0.79), (11.37, 0.81), (11.77, 0.83)),
}

KENDALL: Figures = {
    "D: one fixed margin": ((0.71, 0.04), (0.69, 0.05)),
    "E: LMTA": ((0.74, 0.03), (0.76, 0.04)),
}

Correlation = tuple[float, float, float]
"""A rank correlation with its interval."""
CALIBRATION: Mapping[str, tuple[Correlation, Correlation]] = {
    "AIM": ((0.493, 0.401, 0.580), (0.666, 0.536, 0.779)),
    "SOP": ((0.559, 0.475, 0.629), (0.748, 0.634, 0.813)),
}
"""Kendall's τ_b and Spearman's ρ with their intervals."""

BASELINES: Figures = {
    "LMTA": ((324.15, 2.38), (31.60, 1.94), (856.14, 10.20)),
    "WS-option": ((301.53, 9.10), (12.99, 1.25), (676.86, 21.58)),
    "Flat DQN": ((243.46, 3.78), (15.90, 0.67), (464.78, 14.28)),
    "Director": ((306.53, 2.58), (20.74, 0.93), (725.61, 5.00)),
    "Flat MuZero": ((260.60, 8.41), (17.75, 0.30), (354.42, 4.32)),
}
SAMPLED_MUZERO: Figures = {
    "Flat MuZero": ((260.60, 8.41), (17.75, 0.30)),
    "Sampled MuZero": ((283.93, 2.55), (19.41, 0.46)),
    "LMTA": ((324.15, 2.38), (31.60, 1.94)),
}
AIM_200: Figures = {
    "LMTA": ((83.21, 2.41), (123.83, 3.12), (137.28, 3.46), (86.16, 2.66)),
    "WS-option": ((78.84, 2.86), (116.21, 3.71), (128.63, 3.89), (81.14, 2.93)),
}
EXACT: Figures = {"exact": ((8.91, None),), "LMTA": ((8.73, None),), "WS-option": ((7.72, None),)}
CHANCE_BUDGETS: Figures = {
    "LMTA": ((324.15, 2.38), (31.60, 1.94)),
    "3 sampled budgets": ((322.8, 2.93), (29.5, 2.31)),
    "1 sampled budget": ((321.9, 3.12), (29.1, 2.45)),
}

LMTA_COST = {
    "epoch, seconds": "62.26",
    "decision, ms (median / p95)": "441.0 / 519.5",
    "episode, ms (mean)": "4,288.4",
    "episodes an epoch": "16",
    "primitive steps in training": "55,154",
}
"""On an NVIDIA Tesla V100."""
COST: Mapping[str, tuple[float, float]] = {
    "Flat DQN": (62.65, 329.03),
    "WS-option": (101.21, 12.56),
    "Director": (40.38, 22.5),
    "Flat MuZero": (851.53, 822.39),
    "LMTA": (441.03, 62.34),
}
"""Decision in ms, epoch in seconds, on the same."""
