"""A ten-day campaign and a five-day tour in a real browser, as a user does them.

With `LMTA_SCREENSHOTS=FOLDER` they leave pictures there; `make pictures` makes those in docs/ again.
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
from lmta.service.data import sample_content, samples

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = os.environ.get("LMTA_SCREENSHOTS")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {"": ("light", WIDE), "-phone": ("dark", NARROW), "-dark": ("dark", WIDE)}
PATIENCE = 120_000  # milliseconds; the first decision compiles
SEEDED, FAILED, REACHED = "Whom you seeded", "With whom it failed", "Whom the cascade reached"
CLOSED = "Which of them were closed"
SAMPLES = {sample.name: sample_content(sample).data for _, sample in samples()}
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on PATH; `apt-get install chromium` brings one")


@pytest.fixture(scope="module")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright):
    expect.set_options(timeout=PATIENCE)
    with playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"]) as opened:
        yield opened


@pytest.fixture
def page(browser, address):
    """A page that sees no other host and logs no error."""
    context = browser.new_context(viewport=WIDE, base_url=address, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
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


def begin(page, sample, by):
    page.goto("/new")
    page.get_by_role("button", name=sample).click()
    page.get_by_label("Who decides").click()
    page.get_by_role("option", name=by, exact=True).click()
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


def tree(nodes):
    """An edge list in which each but the first is reached by one, and reaches two; it is quickly laid out."""
    edges = "".join(f"{(node - 1) // 2},{node}\n" for node in range(1, nodes))
    return {"file": ("tree.csv", f"source,target\n{edges}")}


def opened(page, address, kind, files=None, **settings):
    """The address of a plan that is begun through the API; the page shows its first day."""
    api = f"{address}/api/v1"
    plan = httpx2.post(f"{api}/{kind}", data={"days": 3, "budget": 1} | settings, files=files).json()["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    return f"{api}/plans/{plan}"


def reported(plan):
    """What is noted of each day so far."""
    return [day["report"] for day in httpx2.get(f"{plan}/history").json()]


def report(page, day):
    page.get_by_role("button", name=f"Report day {day}").click()


def refused(page, told):
    """One refusal is shown, with this in it."""
    refusal = page.locator(".q-notification.bg-negative")
    expect(refusal).to_contain_text(told)
    expect(refusal).to_have_count(1)


def chips(page, label):
    """The names that are chosen in a field."""
    return page.locator(".q-field", has=page.get_by_label(label, exact=True)).locator(".q-chip .ellipsis")


def standing(page, text):
    expect(page.get_by_text(text, exact=False).first).to_be_visible()


def test_ten_days_of_les_miserables(page, address, tmp_path):
    page.goto("/")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    picture(page, "empty")
    begin(page, "Les Misérables", "lmta:aim")
    picture(page, "new")
    page.get_by_role("button", name="Begin").click()
    data = tmp_path / "les-miserables.csv"
    data.write_bytes(SAMPLES["les-miserables"])
    campaign = lmta.Campaign(data, days=10, budget=10, directed=False)
    adviser = lmta.adviser("aim")
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
    begin(page, "Fifty cities", "lmta:sop")
    expect(page.get_by_role("radio", name="Tour through cities")).to_be_checked()
    page.get_by_role("button", name="Begin").click()
    data = tmp_path / "fifty-cities.csv"
    data.write_bytes(SAMPLES["fifty-cities"])
    tour, adviser = lmta.Tour(data, days=5, budget=15), lmta.adviser("sop")
    for day in range(1, 6):
        standing(page, f"Day {day} of 5")
        expect(page.get_by_role("button", name=f"Report day {day}")).to_be_visible()
        decision = adviser.decide(tour)
        assert advised(page) == list(decision.nodes)
        closed = list(decision.nodes[:1]) if day == 2 else []
        choose(page, CLOSED, closed)
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
    expect(page.get_by_text("2 nodes, 1 edges")).to_be_visible()
    page.get_by_label("Days").fill("2")
    page.get_by_label("Budget").fill("1")
    page.get_by_role("button", name="Begin").click()
    assert advised(page) == ["<script>alert(1)</script>"]
    page.get_by_role("button", name="Report day 1").click()
    standing(page, "Day 2 of 2")
    expect(page.get_by_role("cell", name="<script>alert(1)</script>")).to_have_count(2)  # advised and seeded
    assert page.locator("b", has_text="bob").count() == 0


def test_a_state_of_the_shell_goes_on_here(page, tmp_path):
    """Day one in the shell, day two on the page."""
    data, state, nobody = tmp_path / "cities.csv", tmp_path / "my tour.json", tmp_path / "none.csv"
    data.write_bytes(SAMPLES["fifty-cities"])
    nobody.write_text("")
    shell = ["plan", "--state", str(state)]
    assert cli.run([*shell, "--cities", str(data), "--days", "3", "--budget", "6", "--think", "0"]) == 0
    assert cli.run([*shell, "--observed", str(nobody)]) == 0
    page.goto("/new")
    page.get_by_text("Go on with a state file of lmta plan").click()
    files = page.locator("input[type=file]")
    chosen = page.locator(".chosen")
    for number in (0, 1):
        files.nth(1 + number).set_input_files(data)
        expect(chosen.nth(number)).to_have_text("cities.csv")
    go_on = page.get_by_role("button", name="Go on", exact=True)
    expect(go_on).to_be_enabled()
    go_on.press("Enter")  # the button moves while the fields above it come to rest, and a click may miss it
    expect(page.get_by_text("is no journal of lmta")).to_be_visible()
    files.nth(1).set_input_files(state)
    expect(chosen.first).to_have_text("my tour.json")
    go_on.press("Enter")
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


def test_a_problem_of_another_package(browser, guarded, token):
    """Its own options, picture, words and fields; nobody knows what a pick adds today, so that is not shown."""
    headers = {"Authorization": f"Bearer {token}"}
    with browser.new_context(viewport=WIDE, base_url=guarded, extra_http_headers=headers) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        begin(page, "Four trees", "lmta:orchard")
        expect(page.get_by_role("radio", name="Harvest of an orchard")).to_be_checked()
        expect(page.get_by_text("4 trees", exact=True)).to_be_visible()
        expect(page.get_by_text("What is counted: single apples, or crates of 20.")).to_be_visible()
        page.get_by_label("Least").fill("two")
        page.get_by_role("button", name="Begin").click()
        refused(page, "least: 'two' given, a number such as 10 or 0.5 is needed.")
        page.get_by_label("Least").fill("50")
        page.get_by_label("Budget (trees in all)").click()
        expect(page.get_by_text("3 trees", exact=True)).to_be_visible()
        page.get_by_text("Rules", exact=True).click()
        page.get_by_label("Spoil").fill("0.5")
        page.keyboard.press("Tab")
        page.wait_for_timeout(1_000)  # the rules unfold and move the button
        page.get_by_role("button", name="Begin").click()
        standing(page, "Day 1 of 3 · 3 of 3 trees left · 0 apples")
        assert advised(page) == ["ash lane"]
        expect(page.get_by_text("adds today")).to_have_count(0)
        expect(page.get_by_role("heading", name="The orchard")).to_be_visible()
        page.get_by_label("Whose apples fell", exact=True).fill("barn")
        page.get_by_label("Whose apples", exact=True).fill("creek")
        page.get_by_label("Apples", exact=True).fill("90")
        page.get_by_role("button", name="Forecast").click()
        expect(page.get_by_text("100 futures with the same noise")).to_be_visible()
        picture(page, "other-problem")
        report(page, 1)
        standing(page, "Day 2 of 3 · 2 of 3 trees left · 160 apples")
        assert advised(page) == ["creek"]
        expect(page.get_by_role("cell", name="creek: 90")).to_be_visible()
        page.get_by_role("button", name="Take back day 1").click()
        standing(page, "Day 1 of 3")
        expect(chips(page, "Whose apples fell")).to_have_text(["barn"])
        expect(page.get_by_text("creek: 90")).to_be_visible()


def test_two_tabs_report_the_same_day(page, address):
    """The second is told, and nothing is lost; a day is taken back by keyboard while the next is thought of."""
    given = {"sample": "les-miserables", "days": 3, "budget": 3, "policy": "lmta:aim@1s"}
    begun = httpx2.post(f"{address}/api/v1/campaigns", data=given).json()
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
    page.wait_for_timeout(2_000)  # what was thought of day 2 has come by then
    expect(page.get_by_role("heading", name="Day 1: what to do")).to_be_visible()
    expect(page.locator(".q-chip", has_text="Myriel")).to_be_visible()  # what was taken back is there to be mended


def test_a_day_is_not_taken_back_over_what_is_typed_for_the_next(page, address):
    opened(page, address, "campaigns", tree(20), policy="average-degree")
    report(page, 1)
    expect(page.get_by_role("button", name="Report day 2")).to_be_visible()
    page.get_by_label(REACHED, exact=True).press_sequentially("5")
    page.get_by_role("button", name="Take back day 1").click()
    expect(page.get_by_text("What the form holds for day 2 would be lost.")).to_be_visible()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_label(REACHED, exact=True)).to_have_value("5")
    page.get_by_role("button", name="Take back day 1").click()
    page.get_by_role("button", name="Take back", exact=True).click()
    standing(page, "Day 1 of 3")


def test_many_lines_are_pasted_at_once(page, address):
    """Cities and profits; what is wrong is told by its line and stays to be mended."""
    tour = {"sample": "fifty-cities", "days": 3, "budget": 6, "policy": "even-greedy"}
    plan = httpx2.post(f"{address}/api/v1/tours", data=tour).json()["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    picks = advised(page)
    page.get_by_role("button", name=f"paste many: {CLOSED}").click()
    page.get_by_label("One id a line").fill(f"{picks[1]}\nnowhere\n")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("pasted, line 2: 'nowhere' is not one of the 50 known ids.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_label("One id a line")).to_have_value(f"{picks[1]}\nnowhere\n")
    page.get_by_label("One id a line").fill(f"{picks[1]}\n")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="paste many: What cities will be worth tomorrow").click()
    page.get_by_label("An id and its profit a line").fill("Mosswick,0.25\nOakwick,2\n")
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
    cities.write_bytes(SAMPLES["fifty-cities"])
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
    page.get_by_label("Budget").fill("4")
    page.get_by_role("button", name="Begin").click()
    standing(page, "Day 1 of 3 · 4 of 4 visits left")


def test_more_than_was_left_is_taken_and_only_what_was_done_can_fail(page, address):
    campaign = {"sample": "les-miserables", "days": 3, "budget": 1, "policy": "average-degree"}
    plan = httpx2.post(f"{address}/api/v1/campaigns", data=campaign).json()["plan"]["id"]
    page.goto(f"/plan/{plan}")
    expect(page.get_by_role("button", name="Report day 1")).to_be_visible()
    assert advised(page) == ["Valjean"]
    choose(page, SEEDED, ["Cosette"])
    page.get_by_label(FAILED, exact=True).click()
    expect(page.get_by_role("option")).to_have_text(["Valjean", "Cosette"])
    page.get_by_role("option", name="Cosette", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Report day 1").click()
    expect(page.get_by_text("seeded: 2 picks exceed the 1 left of 1").first).to_be_visible()
    standing(page, "Day 2 of 3 · 0 of 1 seeds left · 1 nodes reached")
    assert advised(page) == []


@pytest.mark.parametrize("nodes", [20, 77, 500, 5_000])
def test_typed_ids_are_taken_in_a_network_of_any_size(page, address, nodes):
    """By Enter and by the report, one or several, whatever ids have the same digits in them."""
    plan = opened(page, address, "campaigns", tree(nodes), policy="average-degree")
    reached = page.get_by_label(REACHED, exact=True)
    reached.fill("17")
    report(page, 1)
    expect(page.get_by_role("button", name="Report day 2")).to_be_visible()
    reached.press_sequentially("11\n1\n")
    expect(chips(page, REACHED)).to_have_text(["11", "1"])
    reached.press_sequentially("3, 5 7")
    report(page, 2)
    standing(page, "Day 3 of 3")
    assert [day["activated"] for day in reported(plan)] == [[17], [11, 1, 3, 5, 7]]


@pytest.mark.parametrize("device", ["Desktop Chrome", "Pixel 7"])
def test_text_that_is_no_id_is_refused_by_name_and_stays(playwright, browser, address, device):
    """Nothing is noted until it is mended; neither another field nor Escape takes it away."""
    look = playwright.devices[device]
    with browser.new_context(**look, base_url=address) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        plan = opened(page, address, "campaigns", sample="les-miserables", policy="average-degree")
        seeded, failed, reached = (page.get_by_label(label, exact=True) for label in (SEEDED, FAILED, REACHED))
        seeded.fill("Cosete")
        failed.fill("Myriel")
        reached.fill("Fantine")
        reached.press("Escape")
        report(page, 1)
        refused(page, "Whom you seeded: 'Cosete' is not one of the 77 known ids.")
        seeded.fill("Cosette")
        report(page, 1)
        refused(page, "With whom it failed: 'Myriel' is not among those above; name it there first.")
        failed.fill("nobody")
        failed.press("Enter")
        seeded.focus()
        below = page.get_by_text("With whom it failed: 'nobody' is not one of the 77 known ids.")
        expect(below).to_be_visible()
        expect(failed).to_have_value("nobody")
        assert reported(plan) == []
        failed.fill("Cosette")
        expect(below).to_have_count(0)
        expect(reached).to_have_value("Fantine")
        report(page, 1)
        standing(page, "Day 2 of 3")
        assert reported(plan) == [{"seeded": ["Valjean", "Cosette"], "failed": ["Cosette"], "activated": ["Fantine"]}]


def test_a_pasted_list_is_taken_from_the_field_itself(page, address):
    """Line by line; a name may have commas and spaces in it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    names = ["Doe, Jane", "New York", "ann", "bob"]
    network = "source,target\n" + "".join(f'hub,"{name}"\n' for name in names)
    plan = opened(page, address, "campaigns", {"file": ("net.csv", network)}, policy="average-degree")
    page.evaluate("text => navigator.clipboard.writeText(text)", "New York\nann\r\nbob\n")
    page.get_by_label(REACHED, exact=True).press("Control+V")
    report(page, 1)
    standing(page, "Day 2 of 3")
    page.get_by_label(REACHED, exact=True).fill("Doe, Jane")
    report(page, 2)
    standing(page, "Day 3 of 3")
    assert [day["activated"] for day in reported(plan)] == [["New York", "ann", "bob"], ["Doe, Jane"]]


def test_a_typed_profit_is_taken_with_the_report(page, address):
    plan = opened(page, address, "tours", sample="fifty-cities", policy="even-greedy", budget=6)
    picks = advised(page)
    city, profit = page.get_by_label("Whose profit", exact=True), page.get_by_label("Profit", exact=True)
    for name, value, told in (
        ("Mosswick", "", "profits: 'Mosswick' has no profit; give it, or take the id away."),
        ("Mosswick", "1e", "profits: '1e' given, a number such as 10 or 0.5 is needed."),
        ("Mosswik", "1", "Whose profit: 'Mosswik' is not one of the 50 known ids."),
    ):
        city.fill(name)
        city.press("Tab")
        profit.fill(value)
        report(page, 1)
        refused(page, told)
    city.fill("")
    city.press("Backspace")
    city.press("Escape")  # names are offered above the button
    report(page, 1)
    refused(page, "profits: 1 has no id; name it, or empty the field.")
    city.fill("Mosswick")
    city.press("Tab")
    page.get_by_label(CLOSED, exact=True).fill(picks[1])
    report(page, 1)
    standing(page, "Day 2 of 3")
    assert reported(plan) == [{"visited": picks, "closed": [picks[1]], "profits": [["Mosswick", 1]]}]


def test_text_whose_way_here_was_interrupted_comes_with_the_click(page, address):
    """As if the connection had broken while it was typed: the field shows it, and nobody was told."""
    plan = opened(page, address, "campaigns", tree(20), policy="average-degree")
    page.get_by_label(REACHED, exact=True).evaluate("field => field.value = '5'")
    report(page, 1)
    standing(page, "Day 2 of 3")
    assert reported(plan)[0]["activated"] == [5]


def test_another_policy_leaves_the_report_as_it_is(page, address):
    """Only what was filled in from the advice follows it; so it is with the policies to compare."""
    opened(page, address, "campaigns", sample="les-miserables", policy="average-degree")
    page.get_by_label("Compare policies", exact=True).press_sequentially("rand")
    page.get_by_label(REACHED, exact=True).press_sequentially("Fantine\nCos")
    expect(chips(page, REACHED)).to_have_text(["Fantine"])
    page.get_by_label("Who decides").press_sequentially("even-random\n")
    expect(page.get_by_text("even-random took")).to_be_visible()
    expect(chips(page, SEEDED)).to_have_text(advised(page))
    expect(chips(page, REACHED)).to_have_text(["Fantine"])
    expect(page.get_by_label(REACHED, exact=True)).to_have_value("Cos")
    expect(chips(page, "Compare policies")).to_have_text(["even-random"])
    expect(page.get_by_label("Compare policies", exact=True)).to_have_value("rand")


def test_a_policy_to_compare_is_taken_or_refused(page, address):
    opened(page, address, "campaigns", tree(20), policy="average-degree")
    compared = page.get_by_label("Compare policies", exact=True)
    compared.fill("averag-degree")
    page.get_by_role("button", name="Forecast").click()
    refused(page, "'averag-degree'")
    compared.fill("even-degree, random")
    page.get_by_role("button", name="Forecast").click()
    expect(page.locator(".expected tbody tr")).to_have_count(3)


def test_what_is_typed_into_the_new_form_is_kept_or_refused(page):
    """A sample fills in only what nobody has typed; what is wrong is told, also where nothing need be given."""
    page.goto("/new")
    page.get_by_label("Title").fill("Mine")
    page.get_by_label("Days").fill("4")
    page.get_by_label("Who decides").press_sequentially("even-degree\n")
    page.get_by_role("button", name="Les Misérables").click()
    expect(page.get_by_label("Budget")).to_have_value("10")
    expect(page.get_by_role("button", name="Begin")).to_be_enabled()
    probability = page.get_by_label("Probability", exact=True)
    probability.press_sequentially("0.1.2")
    page.get_by_role("button", name="Begin").click()
    refused(page, "probability: '0.1.2' given, a number such as 10 or 0.5 is needed.")
    probability.fill("")
    page.get_by_label("Title").fill("x" * 201)
    page.get_by_role("button", name="Begin").click()
    refused(page, "title: 201 characters given, at most 200 are taken.")
    page.get_by_label("Title").fill("Mine")
    page.get_by_role("button", name="Begin").click()
    standing(page, "Day 1 of 4 · 10 of 10 seeds left")
    expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    expect(page.get_by_text("even-degree took")).to_be_visible()


def test_dark_or_light_is_kept(page):
    page.goto("/new")
    dark = page.locator("body.body--dark")
    expect(dark).to_have_count(0)
    page.get_by_role("button", name="dark or light").click()
    expect(dark).to_have_count(1)
    page.reload()
    expect(dark).to_have_count(1)
