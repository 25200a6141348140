"""`lmta serve` in children of one process that has imported everything, so that a start after a kill is quick.

A line on standard input starts a child; its process id and then the child's own first line are printed.
"""

import os
import sys

import lmta.service.page.pages
import lmta.service.serve  # noqa: F401
from lmta import cli

for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        print(os.getpid(), flush=True)
        os._exit(cli.run(["serve", "--port", "0", "--data", sys.argv[1]]))
    os.waitpid(child, 0)
