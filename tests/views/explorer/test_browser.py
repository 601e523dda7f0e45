"""The pages in a real browser: what is seen, clicked, typed and saved, with names that try to be markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.views.explorer.server import serve_in_thread
from views.explorer.browser import (
    HOSTILE_DOCUMENT,
    HOSTILE_RUN,
    HOSTILE_TOPIC,
    WINDOW,
    Reader,
    campaign,
    chromium,
)

playwright = pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")

FIGURES = {
    "/": ["census", "correlation"],
    "/effort-gain": ["effort-gain"],
    "/topic": ["crp-topic"],
    "/system": ["crp-aggregate", "topic-spread"],
    "/pair": ["differences", "med-difference"],
    "/lab": ["balancing"],
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_in_thread(campaign()) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """The tab that most readers share: a new one takes longer than a page."""
    context = browser.new_context(viewport=WINDOW, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def reader(browser: Any, tab: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A new reader; at the end nothing must have gone wrong unless the test has looked at it and said so."""
    own = browser.new_context(**request.param) if hasattr(request, "param") else None
    found = Reader(own.new_page() if own else tab, address)
    yield found
    if own:
        own.close()
    else:
        found.leave()
    assert found.problems == []
    assert [url for url in found.requests if not url.startswith((address, "data:", "blob:"))] == []


narrow = pytest.mark.parametrize("reader", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
fresh = pytest.mark.parametrize("reader", [{}], indirect=True)
dark = pytest.mark.parametrize("reader", [{"color_scheme": "dark"}], indirect=True)


# Pages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FIGURES)
def test_a_page_shows_its_figures_and_says_what_is_seen(reader: Reader, path: str) -> None:
    reader.open(path)
    for figure in FIGURES[path]:
        assert reader.colours(figure) > 3, figure
    assert len(reader.text("#lede")) > 20
    assert reader.page.locator("nav a[aria-current]").get_attribute("href") == path
    assert "9 runs × 7 topics" in reader.text("#campaign-line")
    assert reader.page.locator(".status[data-kind=error]").count() == 0


@narrow
def test_no_page_is_wider_than_a_telephone(reader: Reader) -> None:
    for path in FIGURES:
        reader.open(path, **({"pin": "alpha1~402"} if path == "/effort-gain" else {}))
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert reader.page.locator(".figure canvas").first.is_visible()
    reader.open("/effort-gain")
    for name in ("Runs", "Topics", "Archetypes"):
        reader.page.locator("#controls summary", has_text=name).click()
        assert reader.page.locator(".popover:visible").count() == 1
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_the_campaign_tells_its_policies_notes_and_provenance(reader: Reader) -> None:
    reader.open("/")
    assert not reader.page.locator("#campaign-more").is_visible()
    reader.page.locator("#campaign-line").click()
    assert "trec_eval-10" in reader.text("#campaign-line")
    assert "1,290 judgments" in reader.text("#campaign-line")
    assert "unjudged\nnonrelevant" in reader.text("#campaign-more")


# Names that are markup -----------------------------------------------------------------------------------------


def test_hostile_names_are_text_wherever_they_stand(reader: Reader) -> None:
    page = reader.page
    reader.open("/")
    assert HOSTILE_RUN in reader.column("#leaderboard", 3)
    reader.after(page.get_by_role("link", name=HOSTILE_RUN, exact=True).first.click)
    assert parse_qs(urlsplit(page.url).query) == {"run": [HOSTILE_RUN]}
    assert reader.text("#lede").startswith(HOSTILE_RUN)
    reader.after(page.locator("#topics").get_by_role("link", name=HOSTILE_TOPIC, exact=True).click)
    assert f"Topic {HOSTILE_TOPIC}" in reader.text("#lede")
    assert HOSTILE_DOCUMENT in page.locator("#misplaced").inner_text()
    reader.open("/pair", a=HOSTILE_RUN, b="alpha1")
    assert HOSTILE_RUN in reader.text("#controls select")
    assert page.locator("img, main script, b[onmouseover]").count() == 0


def test_hostile_names_can_be_pinned_and_hovered(reader: Reader) -> None:
    reader.open("/effort-gain")
    x, y = reader.point(HOSTILE_RUN, HOSTILE_TOPIC)
    reader.page.mouse.move(x, y)
    assert HOSTILE_TOPIC in reader.text(".tip")
    reader.after(lambda: reader.page.mouse.click(x, y))
    assert reader.pins() == [f"{HOSTILE_RUN} on topic {HOSTILE_TOPIC}"]
    reader.after(reader.page.reload)
    assert reader.pins() == [f"{HOSTILE_RUN} on topic {HOSTILE_TOPIC}"]
    assert reader.colours("crp-dcg") > 3


# The leaderboard -----------------------------------------------------------------------------------------------


def test_the_leaderboard_is_sorted_by_any_column(reader: Reader) -> None:
    reader.open("/")
    assert reader.column("#leaderboard", 2) == [str(place) for place in range(1, 10)]
    heading = reader.page.locator("#leaderboard th", has_text="Run")
    reader.after(heading.locator("button").click)
    names = reader.column("#leaderboard", 3)
    assert names == sorted(names)
    assert heading.get_attribute("aria-sort") == "ascending"
    reader.after(heading.locator("button").click)
    assert reader.column("#leaderboard", 3) == names[::-1]
    reader.after(reader.page.go_back)
    assert reader.column("#leaderboard", 3) == names
    reader.after(reader.page.locator("#leaderboard th button", has_text="P@10").click)
    assert "by P@10" in reader.text("#lede")
    assert "sort=P%4010" in reader.page.url


@fresh  # a browser counts no more than 50 pages of one tab
def test_runs_are_filtered_while_one_types_and_the_history_stays_short(reader: Reader) -> None:
    reader.open("/")
    before = reader.page.evaluate("history.length")
    reader.page.get_by_label("Filter runs").press_sequentially("ALPHA")
    reader.settle()
    assert {name[:5] for name in reader.column("#leaderboard", 3)} == {"alpha"}
    assert reader.page.evaluate("history.length") == before
    assert "filter=ALPHA" in reader.page.url
    reader.after(lambda: reader.page.get_by_label("Filter runs").fill("there is none"))
    assert "No run has such a name" in reader.text("#leaderboard")


def test_measures_are_added_and_removed(reader: Reader) -> None:
    reader.open("/", measure=["AP", "P@5"])
    field = reader.page.get_by_label("Add a measure")
    field.fill("ndcg@20")
    reader.after(lambda: field.press("Enter"))
    assert reader.page.locator("#measures .chip").count() == 3
    assert reader.page.locator("#leaderboard th", has_text="nDCG@20").count() == 1
    reader.after(reader.page.get_by_role("button", name="Remove measure P@5").click)
    assert parse_qs(urlsplit(reader.page.url).query)["measure"] == ["AP", "nDCG@20"]
    reader.after(reader.page.get_by_role("button", name="Remove measure AP").click)
    assert reader.page.get_by_role("button", name="Remove measure").count() == 0
    assert "Add a second measure" in reader.text("#correlation")


def test_a_wrong_measure_is_refused_where_it_is_typed(reader: Reader) -> None:
    reader.open("/")
    field = reader.page.get_by_label("Add a measure")
    field.fill("nDGC@10")
    field.press("Enter")
    reader.until(lambda: reader.page.locator(".complaint").is_visible(), "the complaint")
    assert "did you mean nDCG" in reader.text(".complaint")
    assert "nDGC" not in reader.page.url
    reader.problems[:] = [each for each in reader.problems if "400" not in each]


def test_two_checked_runs_lead_to_their_comparison(reader: Reader) -> None:
    reader.open("/")
    for run in ("alpha1", HOSTILE_RUN):
        reader.after(reader.page.get_by_label(f"Check {run} for a comparison", exact=True).check)
    assert reader.page.get_by_label("Check alpha2 for a comparison").is_disabled()
    assert reader.page.evaluate("document.activeElement.dataset.keep") == HOSTILE_RUN
    reader.after(reader.page.get_by_role("link", name="Compare the two").click)
    assert parse_qs(urlsplit(reader.page.url).query) == {"a": ["alpha1"], "b": [HOSTILE_RUN], "measure": ["AP"]}
    lede = reader.text("#lede")
    assert "is ahead by" in lede
    assert "p (Holm)" in lede
    assert "corrected over all 36 pairs of runs" in lede
    assert "for this pair alone" in lede
    facts = reader.page.locator("#test .label").all_inner_texts()
    assert "p" in facts
    assert "p (Holm)" in facts


def test_the_headline_counts_the_runs_that_do_not_differ_from_the_leader(reader: Reader) -> None:
    reader.open("/")
    found = reader.page.evaluate("fetch('/api/separation').then((answer) => answer.json())")
    lede = reader.text("#lede")
    assert f"{len(found['tied'])} of 8 other runs" in lede
    assert found["how"] in lede
    assert "Holm's correction over all 36 pairs of runs" in lede
    assert "overlap" not in lede
    reader.page.locator("#significance-fold summary").click()
    reader.settle()
    assert reader.text("#significance-note").startswith(f"{found['significant']} of 36 pairs of runs differ")


def test_equal_runs_are_tied_on_a_topic_and_as_systems(reader: Reader) -> None:
    reader.open("/topic", topic="404", measure="NumRel")
    assert "and 8 other runs are tied for best by NumRel" in reader.text("#lede")
    reader.open("/system", run="alpha1", measure="NumRel")
    assert "is tied for 1st of 9 runs" in reader.text("#lede")
    reader.open("/pair", a="alpha1", b="alpha2", measure="NumRel")
    assert "are tied by NumRel" in reader.text("#lede")


def test_folded_figures_are_drawn_when_they_are_opened(reader: Reader) -> None:
    reader.open("/")
    assert not any("figures/heatmap" in url for url in reader.requests)
    reader.page.locator("#heatmap-fold summary").click()
    reader.until(lambda: reader.page.locator("#heatmap canvas").count(), "the heat map")
    assert reader.colours("heatmap") > 3


# Pins ----------------------------------------------------------------------------------------------------------


def test_clicks_pin_rankings_that_survive_reload_and_history(reader: Reader) -> None:
    reader.open("/effort-gain")
    page = reader.page
    for run, topic in (("alpha1", "402"), ("birch1", "403")):
        place = reader.point(run, topic)
        reader.after(partial(page.mouse.click, *place))
    both = ["alpha1 on topic 402", "birch1 on topic 403"]
    assert reader.pins() == both
    assert parse_qs(urlsplit(page.url).query)["pin"] == ["alpha1~402", "birch1~403"]
    assert page.locator('[data-figure="crp-dcg"] canvas').count() == 2
    assert reader.colours("crp-dcg") > 3
    reader.after(page.reload)
    assert reader.pins() == both
    reader.after(page.go_back)
    assert reader.pins() == both[:1]
    reader.after(page.go_forward)
    assert reader.pins() == both
    place = reader.point("alpha1", "402")
    reader.after(lambda: page.mouse.click(*place))  # a second click takes it away
    assert reader.pins() == both[1:]


def test_a_pin_tells_when_its_curve_is_back(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402", "alpha1~403", "birch1~404"])
    reader.until(
        lambda: all(" · " in text for text in reader.page.locator(".pin .note").all_inner_texts()), "the facts"
    )
    for text, pin in zip(reader.page.locator(".pin .note").all_inner_texts(), reader.pins(), strict=True):
        run, topic = pin.split(" on topic ")
        found = reader.page.request.get(f"{reader.address}api/curve", params={"run": run, "topic": topic}).json()
        back = (
            "never back on the axis" if found["balance"] is None else f"back on the axis after rank {found['balance']}"
        )
        assert text.endswith(back)


def test_misplaced_documents_are_sorted_by_the_column_that_says_so(reader: Reader) -> None:
    reader.open("/topic", topic="402")
    marked = reader.page.locator("#misplaced th[aria-sort]")
    assert marked.all_inner_texts() == ["Total |RP|"]
    at = 1 + int(marked.evaluate("node => node.cellIndex"))
    totals = [int(text.replace(",", "")) for text in reader.column("#misplaced", at)]
    assert totals == sorted(totals, reverse=True)
    assert reader.page.locator("#misplaced .table-box").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_depth_of_the_distance_is_passed_along_and_told(reader: Reader) -> None:
    reader.open("/pair", a="alpha1", b="birch1", measure="Q", depth=7)
    assert "Only the first 7 documents of each ranking are compared." in reader.text("#med-note")
    assert reader.page.locator("#topics th", has_text="Could be, to rank 7").count() == 1
    for path in ("/api/med?", "/api/figures/med-difference?"):
        assert all("depth=7" in url for url in reader.requests if path in url), path
    field = reader.page.get_by_label("Depth of the distance")
    assert field.input_value() == "7"
    field.fill("")
    reader.after(lambda: field.press("Enter"))
    assert "Only the first 50 documents of each ranking are compared, as deeper takes long by" in reader.text(
        "#med-note"
    )
    reader.open("/pair", a="alpha1", b="birch1", measure="Q", depth=101)
    assert "use a depth of at most 100" in reader.text("#med .status")
    _only_refused(reader)


@narrow
def test_every_page_can_be_seen_in_the_bar_of_a_telephone(reader: Reader) -> None:
    reader.open("/")
    links = reader.page.locator("nav a")
    assert links.count() == 6
    for box in (links.nth(number).bounding_box() for number in range(6)):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_there_is_room_for_six_pins(reader: Reader) -> None:
    topics = ["402", "403", "404", "405", "406", "407"]
    reader.open("/effort-gain", pin=[f"alpha1~{topic}" for topic in topics])
    assert len(reader.pins()) == 6
    reader.page.locator("#pin-form").get_by_label("Run").select_option("alpha2")
    reader.page.get_by_role("button", name="Pin", exact=True).click()
    assert "room for 6" in reader.text("#pins-note")
    reader.after(reader.page.get_by_role("button", name="Remove the pin of alpha1 on topic 403").click)
    assert [title[-3:] for title in reader.pins()] == ["402", "404", "405", "406", "407"]
    assert reader.page.locator(".pin .badge").all_inner_texts() == ["1", "2", "3", "4", "5"]


def test_another_curve_of_gain_pins_nothing_and_takes_no_pin_away(reader: Reader) -> None:
    reader.open("/effort-gain", pin="alpha1~402")
    gain = reader.page.get_by_label("Curve of gain")
    for form in ("DCG(base=10)", "DCG(gains=exp)"):
        gain.fill(form)
        reader.after(lambda: gain.press("Enter"))
        assert [title[-3:] for title in reader.pins()] == ["402"]
    assert "gain=DCG%28gains%3Dexp%29" in reader.page.url


def test_a_curve_tells_rank_document_and_grade_under_the_pointer(reader: Reader) -> None:
    reader.open("/effort-gain", pin="alpha1~402")
    canvas = reader.page.locator('[data-figure="crp-dcg"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    for step in range(2, 18):
        reader.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + step * box["height"] / 20)
        if reader.page.locator(".tip").is_visible():
            break
    names = reader.page.locator(".tip .tip-name").all_inner_texts()
    assert {"rank", "document", "grade"} <= set(names)


def test_filters_leave_some_points_and_go_into_the_address(reader: Reader) -> None:
    reader.open("/effort-gain")
    assert reader.text("#lede").startswith("63 rankings")
    reader.page.locator("#controls summary", has_text="Runs").click()
    reader.after(reader.page.get_by_label("alpha1", exact=True).check)
    assert reader.text("#lede").startswith("7 of 63 rankings")
    assert "run=alpha1" in reader.page.url
    reader.page.keyboard.press("Escape")
    assert not reader.page.get_by_label("alpha1", exact=True).is_visible()
    reader.after(reader.page.go_back)
    assert reader.text("#lede").startswith("63 rankings")
    reader.open("/effort-gain", run="alpha1", archetype="ideal")
    assert "No ranking is left" in reader.text("#lede")


def test_another_measure_of_gain_draws_other_points(reader: Reader) -> None:
    reader.open("/effort-gain")
    before = reader.point("alpha1", "402")
    field = reader.page.get_by_label("Gain", exact=True)
    field.fill("P@5")
    reader.after(lambda: field.press("Enter"))
    assert reader.point("alpha1", "402") != before


def test_marks_of_figures_lead_to_what_they_stand_for(reader: Reader) -> None:
    reader.open("/pair", a="alpha1", b="birch1")
    place = reader.mark("differences", "topic", "404")
    reader.after(lambda: reader.page.mouse.click(*place))
    assert "Topic 404" in reader.text("#lede")
    place = reader.mark("crp-topic", "run", HOSTILE_RUN)
    reader.after(lambda: reader.page.mouse.click(*place))
    assert reader.pins() == [f"{HOSTILE_RUN} on topic 404"]


# Keyboard ------------------------------------------------------------------------------------------------------


def test_everything_can_be_reached_by_keyboard(reader: Reader) -> None:
    page, press = reader.open("/").page, reader.page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    press("Tab")  # the leading run
    press("Tab")  # the second one
    press("Tab")
    assert page.evaluate("document.activeElement.labels[0].textContent") == "Filter runs"
    page.locator("#leaderboard th button", has_text="RR").focus()
    reader.after(lambda: press("Enter"))
    assert "sort=RR" in page.url
    assert page.evaluate("document.activeElement.textContent") == "RR"


def test_rankings_are_pinned_and_removed_by_keyboard(reader: Reader) -> None:
    page, press = reader.open("/effort-gain").page, reader.page.keyboard.press
    page.locator("#pin-form select").first.focus()
    page.keyboard.type("birch2")
    press("Tab")
    page.keyboard.type("404")
    press("Tab")
    reader.after(lambda: press("Enter"))
    assert reader.pins() == ["birch2 on topic 404"]
    for _ in range(4):  # over the curve of gain and the links of its title
        press("Tab")
    assert "Remove the pin" in page.evaluate("document.activeElement.ariaLabel")
    reader.after(lambda: press("Enter"))
    assert reader.pins() == []
    assert page.evaluate("document.activeElement.tagName") == "SELECT"


# Themes --------------------------------------------------------------------------------------------------------


def _paper(reader: Reader) -> str:
    return str(reader.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_is_changed_and_remembered(reader: Reader) -> None:
    reader.open("/")
    light, picture = _paper(reader), _picture(reader)
    reader.page.get_by_role("button", name="Use the dark theme").click()
    reader.until(lambda: _picture(reader) != picture, "the figure in the other theme")
    assert _paper(reader) != light
    reader.open("/lab")
    assert reader.page.locator("html").get_attribute("data-theme") == "dark"
    reader.page.get_by_role("button", name="Use the light theme").click()
    assert _paper(reader) == light


def test_figures_follow_the_colours_that_are_chosen_and_the_width_of_the_window(reader: Reader) -> None:
    reader.open("/pair")
    asked = len(reader.requests)
    reader.page.locator("#campaign-line").click()
    reader.page.get_by_label("Colours of figures").select_option("papers")
    reader.until(lambda: any("palette=papers" in url for url in reader.requests[asked:]), "other colours")
    reader.settle()
    # While a figure is drawn again there is none.
    width = "() => document.querySelector('#differences canvas')?.getBoundingClientRect().width ?? 9999"
    wide = reader.page.evaluate(width)
    reader.page.set_viewport_size({"width": 700, "height": 900})
    reader.until(lambda: reader.page.evaluate(width) < wide < 9999, "less room")
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 700


def _picture(reader: Reader) -> str:
    return str(reader.page.locator("#census canvas").evaluate("canvas => canvas.toDataURL()"))


@dark
def test_the_system_may_want_a_dark_page(reader: Reader) -> None:
    reader.open("/")
    assert _paper(reader) == "rgb(13, 15, 18)"
    assert reader.page.get_by_role("button", name="Use the light theme").is_visible()


# Saving --------------------------------------------------------------------------------------------------------


def test_figures_are_saved(reader: Reader, tmp_path: Path) -> None:
    reader.open("/pair", a="alpha1", b=HOSTILE_RUN)
    figure = reader.page.locator('[data-figure="differences"]')
    for form, start in (("PNG", b"\x89PNG\r\n"), ("SVG", b"<svg"), ("CSV", b"kind,place,topic")):
        with reader.page.expect_download() as started:
            figure.locator(".tool", has_text=form).click()
        saved = tmp_path / form
        started.value.save_as(saved)
        assert saved.read_bytes().startswith(start)
        assert re.fullmatch(r"differences[\w.@=-]*\." + form.lower(), started.value.suggested_filename)
    assert HOSTILE_RUN in (tmp_path / "CSV").read_text()


# The lab -------------------------------------------------------------------------------------------------------


def test_a_moved_slider_changes_the_leaderboard_and_the_balancing_index(reader: Reader) -> None:
    reader.open("/lab", measure="RBP(p=0.8)")
    before, note = reader.column("#effect", 3), reader.text("#balance-note")
    slider = reader.page.get_by_role("slider", name="p persistence")
    slider.focus()
    for _ in range(10):
        reader.page.keyboard.press("ArrowRight")
    reader.until(lambda: "p%3D0.9" in reader.page.url, "the address")
    reader.settle()
    assert reader.column("#effect", 3) != before
    assert reader.text("#balance-note") != note
    assert reader.page.get_by_label("Written").input_value() == "RBP(p=0.9)"
    assert "leads by RBP(p=0.9)" in reader.text("#lede")
    assert slider.evaluate("node => node === document.activeElement")


def test_nobody_leads_where_all_are_level(reader: Reader) -> None:
    reader.open("/lab", measure="NumRel")
    assert " and 8 other runs are tied for first by NumRel with " in reader.text("#lede")
    reader.open("/", measure="NumRel")
    assert " and 8 other runs are tied for first by NumRel with " in reader.text("#lede")


def test_another_measure_has_other_parameters(reader: Reader) -> None:
    reader.open("/lab")
    reader.after(lambda: reader.page.get_by_label("Measure", exact=True).select_option("nDCG"))
    assert "measure=nDCG" in reader.page.url
    reader.after(lambda: reader.page.locator('[data-parameter="gains"] select').select_option("exp"))
    assert reader.page.get_by_label("Written").input_value() == "nDCG(gains=exp)@10"
    field = reader.page.get_by_label("Written")
    field.fill("nDCG(gains={1:3,2:9})@5")
    reader.after(lambda: field.press("Enter"))
    assert reader.page.locator('[data-parameter="gains"] select').input_value() == "{1:3,2:9}"
    assert reader.page.locator('[data-parameter="cutoff"] input[type=number]').input_value() == "5"


def test_measures_may_be_written_as_trec_eval_does(reader: Reader) -> None:
    reader.open("/", measure=["map", "ndcg_cut_10"])
    assert "leads by AP" in reader.text("#lede")
    assert reader.page.locator("#leaderboard th", has_text="nDCG@10").count() == 1
    reader.open("/lab", measure="ndcg_cut_5")
    assert reader.page.get_by_label("Written").input_value() == "nDCG@5"


# What goes wrong -----------------------------------------------------------------------------------------------


WRONG = [
    ("/", {"measure": "nDGC"}, "did you mean nDCG"),
    ("/topic", {"topic": "nowhere"}, "there is no topic 'nowhere'"),
    ("/system", {"run": "nobody"}, "there is no run 'nobody'"),
    ("/pair", {"a": "alpha1", "b": "alpha1"}, "cannot be compared with itself"),
    ("/lab", {"measure": "RBP(p=2)"}, "p must be"),
]


def test_a_wrong_address_gives_a_clear_message(reader: Reader) -> None:
    for path, query, said in WRONG:
        reader.open(path, **query)
        assert said in reader.text("#problem")
        assert reader.page.locator("#problem").get_attribute("role") == "alert"
        _only_refused(reader)


def test_a_pin_of_what_is_not_there_says_so_in_its_place(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402", "nobody~402", "no pin at all"])
    assert len(reader.pins()) == 2
    assert "there is no run 'nobody'" in reader.text(".pin-2 .status")
    assert reader.text("#pins-note") == "2 of 6 · not shown: “no pin at all”; a pin is written run~topic"
    assert reader.colours("crp-dcg") > 3
    _only_refused(reader)


def test_a_page_that_is_not_there_leads_to_those_that_are(reader: Reader) -> None:
    reader.page.goto(f"{reader.address}nowhere")
    assert reader.page.locator("nav a").count() == 6
    assert "nothing under this address" in reader.text(".problem")
    _only_refused(reader)


def test_a_server_that_is_gone_is_told(reader: Reader) -> None:
    reader.open("/")
    reader.page.route("**/api/**", lambda route: route.abort())
    reader.after(reader.page.locator("#leaderboard th button", has_text="RR").click)
    assert "does not answer" in reader.text("#problem")
    reader.page.unroute("**/api/**")
    reader.after(reader.page.go_back)
    assert not reader.page.locator("#problem").is_visible()
    _only_refused(reader)


def _only_refused(reader: Reader) -> None:
    """The browser notes every answer that is no success; nothing else may have gone wrong."""
    others = [each for each in reader.problems if "Failed to load resource" not in each]
    assert others == []
    assert reader.problems
    reader.problems.clear()
