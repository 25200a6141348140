"""`lmta demo`."""

import tyro

from lmta.commands.console import OUT
from lmta.commands.evaluate import print_evaluation
from lmta.demo import DemoSettings, check_folder, evaluations, play_stories, write_page


def demo(settings: tyro.conf.OmitArgPrefixes[DemoSettings]) -> None:
    """Play the stories, compare, and write the page."""
    check_folder(settings)
    stories = play_stories(settings, OUT.print)
    arenas = [print_evaluation(*comparison) for comparison in evaluations(settings)]
    page = write_page(settings, arenas, stories)
    for path in (*(story.picture for story in stories), page):
        OUT.print(f"wrote {path}")
