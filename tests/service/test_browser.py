"""A ten-day campaign and a five-day tour in a real browser, as a user does them.

With `LMTA_SCREENSHOTS=FOLDER` they leave the pictures of the guide there; `make pictures` makes those in docs/ again.
"""

import json
import os
import shutil
import warnings
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import expect, sync_playwright

import lmta
from lmta import cli
from lmta.service.data import sample_content

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = os.environ.get("LMTA_SCREENSHOTS")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {"": ("light", WIDE), "-phone": ("dark", NARROW), "-dark": ("dark", WIDE)}
PATIENCE = 120_000  # milliseconds; the first decision compiles
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH; `apt-get install chromium` brings one")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser, address):
    """A page that sees no other host and logs no error."""
    context = browser.new_context(viewport=WIDE, base_url=address, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda line: page.errors.append(line.text) if line.type == "error" else None)
    page.on("request", lambda r: page.errors.append(r.url) if not _is_own(r.url, address) else None)
    yield page
    assert page.errors == []
    context.close()


def _is_own(url, address):
    return url.startswith((address, address.replace("http", "ws"), "data:", "blob:"))


def picture(page, name, *suffixes):
    """As it looks wide and light, and as the suffixes say, where pictures are asked for."""
    if PICTURES is None:
        return
    folder = Path(PICTURES)
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in ("", *suffixes):
        scheme, size = LOOKS[suffix]
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        expect(page.locator(".q-notification")).to_have_count(0)
        page.mouse.move(0, 0)
        page.evaluate("window.scrollTo(0, 0)")
        page.wait_for_timeout(1_200)
        page.screenshot(path=folder / f"{name}{suffix}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)


def begin(page, sample):
    page.goto("/new")
    page.get_by_role("button", name=sample).click()
    expect(page.get_by_text("The first:")).to_be_visible()
    expect(page.get_by_role("button", name="Begin")).to_be_enabled()


def advised(page):
    """The ids in the table of advice, in order."""
    expect(page.get_by_text("Why:")).to_be_visible()
    if page.get_by_text("Nothing is to be done today.").is_visible():
        return []
    table = page.locator(".advice")
    return [row.split("\t")[1] for row in table.locator("tbody").inner_text().splitlines() if "\t" in row]


def choose(page, label, names):
    """Type each id and take what is offered."""
    for name in names:
        field = page.get_by_label(label, exact=True)
        field.click()
        field.fill(name)
        page.get_by_role("option", name=name, exact=True).click()
    page.keyboard.press("Escape")


def standing(page, text):
    expect(page.get_by_text(text, exact=False).first).to_be_visible()


def test_ten_days_of_les_miserables(page, address, tmp_path):
    page.goto("/")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    picture(page, "empty")
    begin(page, "Les Misérables")
    picture(page, "new")
    page.get_by_role("button", name="Begin").click()
    data = tmp_path / "les-miserables.csv"
    data.write_bytes(sample_content("les-miserables").data)
    campaign = lmta.Campaign(data, days=10, budget=10, directed=False)
    adviser = lmta.load("aim")
    reached = {1: ["Gavroche", "Cosette"], 2: ["Fauchelevent"], 4: ["Fantine"]}
    for day in range(1, 11):
        standing(page, f"Day {day} of 10 · {campaign.budget_left} of 10 seeds left")
        expect(page.get_by_role("button", name=f"Report day {day}")).to_be_visible()
        decision = adviser.decide(campaign)
        assert advised(page) == list(decision.nodes)
        hits = [name for name in reached.get(day, ()) if name in campaign.legal() and name not in decision.nodes]
        choose(page, "Whom the cascade reached", hits)
        if day == 3:
            page.get_by_role("button", name="Forecast").click()
            expect(page.get_by_text("100 futures with the same noise")).to_be_visible()
            picture(page, "day", "-phone", "-dark")
        page.get_by_role("button", name=f"Report day {day}").click()
        _advance(campaign, decision.nodes, hits)
    standing(page, f"All 10 days are over · 0 of 10 seeds left · {campaign.influenced} nodes reached")
    plan = page.url.rsplit("/", 1)[1]
    history = httpx2.get(f"{address}/api/v1/plans/{plan}/history").json()
    assert [day["result"] for day in history][-1] == campaign.influenced


def _advance(campaign, seeded, activated):
    """What was typed may be beyond the model, which is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lmta.ModelWarning)
        campaign.advance(seeded=seeded, activated=activated)


def test_five_days_through_fifty_cities(page, tmp_path):
    begin(page, "Fifty cities")
    expect(page.get_by_role("radio", name="Tour through cities")).to_be_checked()
    page.get_by_role("button", name="Begin").click()
    data = tmp_path / "fifty-cities.csv"
    data.write_bytes(sample_content("fifty-cities").data)
    tour, adviser = lmta.Tour(data, days=5, budget=15), lmta.load("sop")
    for day in range(1, 6):
        standing(page, f"Day {day} of 5")
        expect(page.get_by_role("button", name=f"Report day {day}")).to_be_visible()
        decision = adviser.decide(tour)
        assert advised(page) == list(decision.nodes)
        closed = list(decision.nodes[:1]) if day == 2 else []
        choose(page, "Of these were closed", closed)
        if day == 3:
            picture(page, "tour", "-phone")
        page.get_by_role("button", name=f"Report day {day}").click()
        tour.advance(visited=decision.nodes, closed=closed)
    standing(page, f"{tour.collected:.4g} earned")
    expect(page.get_by_text("It is done")).to_be_visible()


def test_ids_are_never_markup_and_errors_are_named(page, address, tmp_path):
    page.goto("/new")
    network = tmp_path / "net.csv"
    network.write_text("source,target\n<script>alert(1)</script>,<b>bob</b>\n<b>bob</b>,\n")
    page.locator("input[type=file]").first.set_input_files(network)
    expect(page.get_by_text("net.csv, line 3: target is empty")).to_be_visible()
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    network.write_text("source,target\n<script>alert(1)</script>,<b>bob</b>\n")
    page.locator("input[type=file]").first.set_input_files(network)
    expect(page.get_by_text("2 nodes, 1 directed edges")).to_be_visible()
    page.get_by_label("Days").fill("2")
    page.get_by_label("Budget (seeds or visits in all)").fill("1")
    page.get_by_role("button", name="Begin").click()
    assert advised(page) == ["<script>alert(1)</script>"]
    page.get_by_role("button", name="Report day 1").click()
    standing(page, "Day 2 of 2")
    expect(page.get_by_role("cell", name="<script>alert(1)</script>")).to_have_count(2)  # advised and seeded
    assert page.locator("b", has_text="bob").count() == 0


def test_a_state_of_the_shell_goes_on_here(page, tmp_path):
    """Day one in the shell, day two on the page."""
    data, state, nobody = tmp_path / "cities.csv", tmp_path / "my tour.json", tmp_path / "none.csv"
    data.write_bytes(sample_content("fifty-cities").data)
    nobody.write_text("")
    shell = ["plan", "--state", str(state)]
    assert cli.run([*shell, "--cities", str(data), "--days", "3", "--budget", "6"]) == 0
    assert cli.run([*shell, "--observed", str(nobody)]) == 0
    page.goto("/new")
    page.get_by_text("Go on with a state file of lmta plan").click()
    files = page.locator("input[type=file]")
    chosen = page.locator(".chosen")
    for number in (0, 1):
        files.nth(1 + number).set_input_files(data)
        expect(chosen.nth(number)).to_have_text("cities.csv")
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.get_by_text("is no journal of lmta")).to_be_visible()
    files.nth(1).set_input_files(state)
    expect(chosen.first).to_have_text("my tour.json")
    page.get_by_role("button", name="Go on", exact=True).click()
    standing(page, "Day 2 of 3 · 4 of 6 visits left")
    assert advised(page) == json.loads(state.read_text())["advised"]


def test_the_page_asks_for_the_token_once(browser, guarded, token):
    context = browser.new_context(viewport=NARROW, base_url=guarded)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto("/")
    page.get_by_label("Token").fill("not the right one")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_have_text("This is not the token.")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()  # it came over the connection
    page.goto("/new")
    expect(page.get_by_role("button", name="Les Misérables")).to_be_visible()
    context.close()


def test_two_tabs_report_the_same_day(page, address):
    """The second is told, and nothing is lost; the day can be taken back by keyboard alone."""
    begun = httpx2.post(f"{address}/api/v1/campaigns", data={"sample": "les-miserables", "days": 3, "budget": 3}).json()
    plan = begun["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    other = httpx2.post(f"{address}/api/v1/plans/{plan}/day", json={"day": 1, "seeded": ["Myriel"], "activated": []})
    assert other.status_code == 200
    page.get_by_role("button", name="Report day 1").click()
    expect(page.get_by_text("day 1 was reported already")).to_be_visible()
    page.get_by_role("button", name="Go to the newest day").click()
    standing(page, "Day 2 of 3")
    page.get_by_role("button", name="Take back day 1").press("Enter")
    standing(page, "Day 1 of 3")
    expect(page.locator(".q-chip", has_text="Myriel")).to_be_visible()  # what was taken back is there to be mended


def test_many_lines_are_pasted_at_once(page, address):
    """Cities and profits; what is wrong is told by its line and stays to be mended."""
    tour = {"sample": "fifty-cities", "days": 3, "budget": 6, "policy": "even-greedy"}
    plan = httpx2.post(f"{address}/api/v1/tours", data=tour).json()["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    picks = advised(page)
    page.get_by_role("button", name="paste many: Of these were closed").click()
    page.get_by_label("One id a line").fill(f"{picks[1]}\nnowhere\n")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("pasted, line 2: 'nowhere' is not one of the 50 known ids.")).to_be_visible()
    page.get_by_label("One id a line").fill(f"{picks[1]}\n")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="paste many: Tomorrow's profits").click()
    page.get_by_label("A city and its profit a line").fill("Mosswick,0.25\nOakwick,2\n")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Oakwick: 2")).to_be_visible()
    page.get_by_role("button", name="Report day 1").click()
    standing(page, "Day 2 of 3")
    history = httpx2.get(f"{address}/api/v1/plans/{plan}/history").json()
    assert history[0]["report"] == {
        "visited": picks,
        "closed": [picks[1]],
        "profits": [["Mosswick", 0.25], ["Oakwick", 2]],
    }


def test_what_is_wrong_is_told_and_not_changed_without_a_word(page, tmp_path):
    """A file of the other kind, numbers without sense; each refusal takes the place of the last."""
    cities = tmp_path / "cities.csv"
    cities.write_bytes(sample_content("fifty-cities").data)
    page.goto("/new")
    page.locator("input[type=file]").first.set_input_files(cities)
    expect(page.get_by_text("It can be read for a tour, though")).to_be_visible()
    page.get_by_role("radio", name="Tour through cities").click()
    expect(page.get_by_text("50 cities")).to_be_visible()
    refusals = page.locator(".q-notification")
    for field, given, told in (
        ("Days", "0", "days: 0 given, at least 1 is needed."),
        ("Days", "2.5", "days: 2.5 given, a whole number is needed."),
        ("Days", "", "days: is empty; a number is needed."),
    ):
        page.get_by_label(field).fill(given)
        page.get_by_role("button", name="Begin").click()
        expect(refusals).to_have_count(1)
        expect(refusals).to_contain_text(told)
    page.get_by_label("Days").fill("3")
    page.get_by_label("Budget (seeds or visits in all)").fill("4")
    page.get_by_role("button", name="Begin").click()
    standing(page, "Day 1 of 3 · 4 of 4 visits left")


def test_more_than_was_left_is_taken_and_only_what_was_done_can_fail(page, address):
    campaign = {"sample": "les-miserables", "days": 3, "budget": 1, "policy": "average-degree"}
    plan = httpx2.post(f"{address}/api/v1/campaigns", data=campaign).json()["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    assert advised(page) == ["Valjean"]
    choose(page, "Seeded", ["Cosette"])
    page.get_by_label("Of these failed", exact=True).click()
    expect(page.get_by_role("option")).to_have_text(["Valjean", "Cosette"])
    page.get_by_role("option", name="Cosette", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Report day 1").click()
    expect(page.get_by_text("seeded: 2 picks exceed the 1 left of 1").first).to_be_visible()
    standing(page, "Day 2 of 3 · 0 of 1 seeds left · 1 nodes reached")
    assert advised(page) == []


def test_dark_or_light_is_kept(page):
    page.goto("/new")
    dark = page.locator("body.body--dark")
    expect(dark).to_have_count(0)
    page.get_by_role("button", name="dark or light").click()
    expect(dark).to_have_count(1)
    page.reload()
    expect(dark).to_have_count(1)
