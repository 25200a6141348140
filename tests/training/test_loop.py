"""Signals: the first asks to stop, the second has its plain effect, and afterwards all is as before."""

import os
import signal

from lmta.training.loop import SIGNALS, _on_first_signal


def test_the_first_signal_asks_and_the_second_would_kill():
    calls = []
    before = [signal.getsignal(number) for number in SIGNALS]
    with _on_first_signal(lambda: calls.append("stop")):
        assert not calls
        os.kill(os.getpid(), signal.SIGTERM)
        assert calls == ["stop"]
        assert [signal.getsignal(number) for number in SIGNALS] == [signal.SIG_DFL, signal.SIG_DFL]
    assert [signal.getsignal(number) for number in SIGNALS] == before
