"""Signals: the first asks to stop, the second ends the process, and afterwards all is as before."""

import os
import signal
import subprocess
import sys

import pytest

from lmta.training.loop import SIGNALS, _on_first_signal


def test_the_first_signal_asks_and_all_is_restored():
    calls = []
    before = [signal.getsignal(number) for number in SIGNALS]
    with _on_first_signal(lambda: calls.append("stop")):
        assert not calls
        os.kill(os.getpid(), signal.SIGTERM)
        assert calls == ["stop"]
    assert [signal.getsignal(number) for number in SIGNALS] == before


TWO_SIGNALS = """
import os, sys
from lmta.training.loop import _on_first_signal
with _on_first_signal(lambda: print("stopping", flush=True)):
    for number in map(int, sys.argv[1:]):
        os.kill(os.getpid(), number)
        for _ in range(1000):
            pass
print("still here")
"""


@pytest.mark.parametrize("second", SIGNALS)
def test_the_second_signal_ends_the_process(second):
    arguments = [sys.executable, "-c", TWO_SIGNALS, str(int(signal.SIGINT)), str(int(second))]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-second, "stopping\n")
