"""What people see while a run goes on."""

import io

from rich.console import Console

from lmta.training.report import Report

LOSSES = {"policy": 3.25, "q": 12.0}
FIRST = {
    "epoch": 3,
    "score": 240.0,
    "epsilon": 0.5,
    "loss": LOSSES,
    "seconds": {"play": 60.0, "learn": 40.0},
    "episodes_per_second": 0.16,
}
EVALUATION = {
    "greedy": 280.0,
    "baseline": 282.5,
    "baseline_policy": "average-score",
    "difference_sem": 1.25,
    "picks_by_day": [5.0, 4.5],
}
SECOND = FIRST | {"epoch": 4, "seconds": {"play": 6.0, "learn": 4.0}, "evaluation": EVALUATION}


def test_a_log_has_one_line_an_epoch_and_the_time_left_without_compilation():
    text = io.StringIO()
    with Report(Console(file=text), epochs=10, epochs_done=2) as report:
        report.epoch(FIRST)
        report.epoch(SECOND)
        report.stopping()
    first, second, stopping = text.getvalue().splitlines()
    assert (
        first
        == "epoch 3/10: self-play 240.00, policy 3.25 q 12, 0.16 episodes/s (play 60.0 s learn 40.0 s), 0:11:40 left"
    )
    assert second.startswith(
        "epoch 4/10: greedy 280.00 (average-score 282.50, difference -2.50 ± 1.25; picks by day 5 4.5), self-play"
    )
    assert second.endswith("0:01:00 left")
    assert stopping.startswith("stopping after this epoch")


def test_a_terminal_shows_the_newest_measurement_and_lets_go_when_stopping():
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=120, height=40, color_system=None)
    with Report(console, epochs=10, epochs_done=2) as report:
        report.epoch(SECOND)
        report.epoch(FIRST | {"epoch": 5})
        report.stopping()
        report.epoch(FIRST | {"epoch": 6})
    shown, _, after = text.getvalue().partition("stopping after this epoch")
    assert "greedy play, epoch 4" in shown
    assert "5/10" in shown
    assert shown.endswith("\x1b[?25h")  # the cursor is back
    assert "epoch 6/10: self-play" in after
