"""Tests of the pages in a real browser: content, clicks, keyboard, downloads and names that contain markup."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from views.explorer.browser import (
    HOSTILE_DOCUMENT,
    HOSTILE_RUN,
    HOSTILE_TOPIC,
    Reader,
    find_chromium,
)

pytest.importorskip("playwright.sync_api", reason="the pages are tested with playwright")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: set ASSAY_CHROMIUM to the path of one")

FIGURES = {
    "/": ["census", "correlation"],
    "/effort-gain": ["effort-gain"],
    "/topic": ["crp-topic"],
    "/system": ["crp-aggregate", "topic-spread"],
    "/pair": ["differences", "med-difference"],
    "/lab": ["balancing"],
}


narrow = pytest.mark.parametrize("reader", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
fresh = pytest.mark.parametrize("reader", [{}], indirect=True)
dark = pytest.mark.parametrize("reader", [{"color_scheme": "dark"}], indirect=True)


# Pages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FIGURES)
def test_every_page_shows_its_figures_and_a_summary(reader: Reader, path: str) -> None:
    reader.open(path)
    for figure in FIGURES[path]:
        assert reader.count_colours(figure) > 3, figure
    assert len(reader.read_text("#lede")) > 20
    assert reader.page.locator("nav a[aria-current]").get_attribute("href") == path
    assert "9 runs × 7 topics" in reader.read_text("#campaign-line")
    assert reader.page.locator(".status[data-kind=error]").count() == 0


@narrow
def test_no_page_is_wider_than_a_phone(reader: Reader) -> None:
    for path in FIGURES:
        reader.open(path, **({"pin": "alpha1~402"} if path == "/effort-gain" else {}))
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert reader.page.locator(".figure canvas").first.is_visible()
    reader.open("/effort-gain")
    for label in ("Runs", "Topics", "Archetypes"):
        reader.page.locator("#controls summary", has_text=label).click()
        assert reader.page.locator(".popover:visible").count() == 1
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390, label


def test_campaign_header_shows_policies_and_counts(reader: Reader) -> None:
    reader.open("/")
    assert not reader.page.locator("#campaign-more").is_visible()
    reader.page.locator("#campaign-line").click()
    assert "trec_eval-10" in reader.read_text("#campaign-line")
    assert "1,290 judgments" in reader.read_text("#campaign-line")
    assert "unjudged\nnonrelevant" in reader.read_text("#campaign-more")


# Names with markup --------------------------------------------------------------------------------------------


def test_hostile_names_are_shown_as_text_everywhere(reader: Reader) -> None:
    page = reader.page
    reader.open("/")
    assert HOSTILE_RUN in reader.read_column("#leaderboard", 3)
    reader.perform(page.get_by_role("link", name=HOSTILE_RUN, exact=True).first.click)
    assert parse_qs(urlsplit(page.url).query) == {"run": [HOSTILE_RUN]}
    assert reader.read_text("#lede").startswith(HOSTILE_RUN)
    reader.perform(page.locator("#topics").get_by_role("link", name=HOSTILE_TOPIC, exact=True).click)
    assert f"Topic {HOSTILE_TOPIC}" in reader.read_text("#lede")
    assert HOSTILE_DOCUMENT in page.locator("#misplaced").inner_text()
    reader.open("/pair", a=HOSTILE_RUN, b="alpha1")
    assert HOSTILE_RUN in reader.read_text("#controls select")
    assert page.locator("img, main script, b[onmouseover]").count() == 0


def test_hostile_names_can_be_pinned_and_hovered(reader: Reader) -> None:
    reader.open("/effort-gain")
    x, y = reader.locate_point(HOSTILE_RUN, HOSTILE_TOPIC)
    reader.page.mouse.move(x, y)
    assert HOSTILE_TOPIC in reader.read_text(".tip")
    reader.perform(lambda: reader.page.mouse.click(x, y))
    assert reader.read_pins() == [f"{HOSTILE_RUN} on topic {HOSTILE_TOPIC}"]
    reader.perform(reader.page.reload)
    assert reader.read_pins() == [f"{HOSTILE_RUN} on topic {HOSTILE_TOPIC}"]
    assert reader.count_colours("crp-dcg") > 3


# The leaderboard -----------------------------------------------------------------------------------------------


def test_leaderboard_is_sorted_by_any_column(reader: Reader) -> None:
    reader.open("/")
    assert reader.read_column("#leaderboard", 2) == [str(place) for place in range(1, 10)]
    heading = reader.page.locator("#leaderboard th", has_text="Run")
    reader.perform(heading.locator("button").click)
    names = reader.read_column("#leaderboard", 3)
    assert names == sorted(names)
    assert heading.get_attribute("aria-sort") == "ascending"
    reader.perform(heading.locator("button").click)
    assert reader.read_column("#leaderboard", 3) == names[::-1]
    reader.perform(reader.page.go_back)
    assert reader.read_column("#leaderboard", 3) == names
    reader.perform(reader.page.locator("#leaderboard th button", has_text="P@10").click)
    assert "by P@10" in reader.read_text("#lede")
    assert "sort=P%4010" in reader.page.url


@fresh  # the history of a tab is limited to 50 pages
def test_runs_are_filtered_while_typing_without_history_entries(reader: Reader) -> None:
    reader.open("/")
    history_length = reader.page.evaluate("history.length")
    reader.page.get_by_label("Filter runs").press_sequentially("ALPHA")
    reader.settle()
    assert {name[:5] for name in reader.read_column("#leaderboard", 3)} == {"alpha"}
    assert reader.page.evaluate("history.length") == history_length
    assert "filter=ALPHA" in reader.page.url
    reader.perform(lambda: reader.page.get_by_label("Filter runs").fill("there is none"))
    assert "No run matches the filter" in reader.read_text("#leaderboard")


def test_measures_are_added_and_removed(reader: Reader) -> None:
    reader.open("/", measure=["AP", "P@5"])
    field = reader.page.get_by_label("Add a measure")
    field.fill("ndcg@20")
    reader.perform(lambda: field.press("Enter"))
    assert reader.page.locator("#measures .chip").count() == 3
    assert reader.page.locator("#leaderboard th", has_text="nDCG@20").count() == 1
    reader.perform(reader.page.get_by_role("button", name="Remove measure P@5").click)
    assert parse_qs(urlsplit(reader.page.url).query)["measure"] == ["AP", "nDCG@20"]
    reader.perform(reader.page.get_by_role("button", name="Remove measure AP").click)
    assert reader.page.get_by_role("button", name="Remove measure").count() == 0
    assert "Add a second measure" in reader.read_text("#correlation")


def test_invalid_measure_is_reported_next_to_its_field(reader: Reader) -> None:
    reader.open("/")
    field = reader.page.get_by_label("Add a measure")
    field.fill("nDGC@10")
    field.press("Enter")
    reader.wait_until(lambda: reader.page.locator(".complaint").is_visible(), "the error message")
    assert "did you mean nDCG" in reader.read_text(".complaint")
    assert "nDGC" not in reader.page.url
    reader.problems[:] = [problem for problem in reader.problems if "400" not in problem]


def test_two_checked_runs_lead_to_their_comparison(reader: Reader) -> None:
    reader.open("/")
    for run in ("alpha1", HOSTILE_RUN):
        reader.perform(reader.page.get_by_label(f"Select {run} for comparison", exact=True).check)
    assert reader.page.get_by_label("Select alpha2 for comparison").is_disabled()
    assert reader.page.evaluate("document.activeElement.dataset.keep") == HOSTILE_RUN
    reader.perform(reader.page.get_by_role("link", name="Compare the two").click)
    assert parse_qs(urlsplit(reader.page.url).query) == {"a": ["alpha1"], "b": [HOSTILE_RUN], "measure": ["AP"]}
    lede = reader.read_text("#lede")
    assert "is ahead by" in lede
    assert "p (Holm)" in lede
    assert "corrected over all 36 pairs of runs" in lede
    assert "for this pair alone" in lede
    facts = reader.page.locator("#test .label").all_inner_texts()
    assert "p" in facts
    assert "p (Holm)" in facts


def test_headline_counts_the_runs_tied_with_the_leader(reader: Reader) -> None:
    reader.open("/")
    separation = reader.page.evaluate("fetch('/api/separation').then((answer) => answer.json())")
    lede = reader.read_text("#lede")
    assert f"{len(separation['tied'])} of 8 other runs" in lede
    assert separation["how"] in lede
    assert "Holm's correction over all 36 pairs of runs" in lede
    assert "overlap" not in lede
    reader.page.locator("#significance-fold summary").click()
    reader.settle()
    assert reader.read_text("#significance-note").startswith(f"{separation['significant']} of 36 pairs of runs differ")


def test_equal_runs_are_tied_on_a_topic_and_as_systems(reader: Reader) -> None:
    reader.open("/topic", topic="404", measure="NumRel")
    assert "and 8 other runs are tied for best by NumRel" in reader.read_text("#lede")
    reader.open("/system", run="alpha1", measure="NumRel")
    assert "is tied for 1st of 9 runs" in reader.read_text("#lede")
    reader.open("/pair", a="alpha1", b="alpha2", measure="NumRel")
    assert "are tied by NumRel" in reader.read_text("#lede")
    _expect_failed_requests_only(reader)  # Documents do not explain values of NumRel.


def test_folded_figures_are_drawn_when_opened(reader: Reader) -> None:
    reader.open("/")
    assert not any("figures/heatmap" in url for url in reader.requests)
    reader.page.locator("#heatmap-fold summary").click()
    reader.wait_until(lambda: reader.page.locator("#heatmap canvas").count(), "the heat map")
    assert reader.count_colours("heatmap") > 3


# Pins ----------------------------------------------------------------------------------------------------------


def test_clicks_pin_rankings_that_survive_reload_and_history(reader: Reader) -> None:
    reader.open("/effort-gain")
    page = reader.page
    for run, topic in (("alpha1", "402"), ("birch1", "403")):
        position = reader.locate_point(run, topic)
        reader.perform(partial(page.mouse.click, *position))
    titles = ["alpha1 on topic 402", "birch1 on topic 403"]
    assert reader.read_pins() == titles
    assert parse_qs(urlsplit(page.url).query)["pin"] == ["alpha1~402", "birch1~403"]
    assert page.locator('[data-figure="crp-dcg"] canvas').count() == 2
    assert reader.count_colours("crp-dcg") > 3
    reader.perform(page.reload)
    assert reader.read_pins() == titles
    reader.perform(page.go_back)
    assert reader.read_pins() == titles[:1]
    reader.perform(page.go_forward)
    assert reader.read_pins() == titles
    position = reader.locate_point("alpha1", "402")
    reader.perform(lambda: page.mouse.click(*position))  # a second click removes the pin
    assert reader.read_pins() == titles[1:]


def test_pin_shows_the_rank_at_which_its_curve_is_balanced(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402", "alpha1~403", "birch1~404"])
    reader.wait_until(
        lambda: all(" · " in text for text in reader.page.locator(".pin .note").all_inner_texts()), "the facts"
    )
    for text, pin in zip(reader.page.locator(".pin .note").all_inner_texts(), reader.read_pins(), strict=True):
        run, topic = pin.split(" on topic ")
        curve = reader.page.request.get(f"{reader.address}api/curve", params={"run": run, "topic": topic}).json()
        expected = (
            "never returns to the axis"
            if curve["balance"] is None
            else f"returns to the axis after rank {curve['balance']}"
        )
        assert text.endswith(expected)


def test_misplaced_documents_are_sorted_by_the_marked_column(reader: Reader) -> None:
    reader.open("/topic", topic="402")
    heading = reader.page.locator("#misplaced th[aria-sort]")
    assert heading.all_inner_texts() == ["Total |RP|"]
    column = 1 + int(heading.evaluate("node => node.cellIndex"))
    totals = [int(text.replace(",", "")) for text in reader.read_column("#misplaced", column)]
    assert totals == sorted(totals, reverse=True)
    assert reader.page.locator("#misplaced .table-box").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_depth_of_the_distance_is_applied_and_shown(reader: Reader) -> None:
    reader.open("/pair", a="alpha1", b="birch1", measure="Q", depth=7)
    assert "Only the first 7 documents of each ranking are compared." in reader.read_text("#med-note")
    assert reader.page.locator("#topics th", has_text="MED, to rank 7").count() == 1
    for path in ("/api/med?", "/api/figures/med-difference?"):
        assert all("depth=7" in url for url in reader.requests if path in url), path
    field = reader.page.get_by_label("Depth of MED")
    assert field.input_value() == "7"
    field.fill("")
    reader.perform(lambda: field.press("Enter"))
    assert (
        "Only the first 50 documents of each ranking are compared, because a larger depth would take too long for"
        in reader.read_text("#med-note")
    )
    reader.open("/pair", a="alpha1", b="birch1", measure="Q", depth=101)
    assert "use a depth of at most 100" in reader.read_text("#med .status")
    _expect_failed_requests_only(reader)


@narrow
def test_navigation_fits_the_width_of_a_phone(reader: Reader) -> None:
    reader.open("/")
    links = reader.page.locator("nav a")
    assert links.count() == 7
    for box in (links.nth(number).bounding_box() for number in range(7)):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_at_most_six_rankings_can_be_pinned(reader: Reader) -> None:
    topics = ["402", "403", "404", "405", "406", "407"]
    reader.open("/effort-gain", pin=[f"alpha1~{topic}" for topic in topics])
    assert len(reader.read_pins()) == 6
    reader.page.locator("#pin-form").get_by_label("Run").select_option("alpha2")
    reader.page.get_by_role("button", name="Pin", exact=True).click()
    assert "At most 6" in reader.read_text("#pins-note")
    reader.perform(reader.page.get_by_role("button", name="Remove the pin of alpha1 on topic 403").click)
    assert [title[-3:] for title in reader.read_pins()] == ["402", "404", "405", "406", "407"]
    assert reader.page.locator(".pin .badge").all_inner_texts() == ["1", "2", "3", "4", "5"]


def test_changing_the_gain_curve_keeps_the_pins(reader: Reader) -> None:
    reader.open("/effort-gain", pin="alpha1~402")
    gain = reader.page.get_by_label("Gain curve")
    for measure in ("DCG(base=10)", "DCG(gains=exp)"):
        gain.fill(measure)
        reader.perform(lambda: gain.press("Enter"))
        assert [title[-3:] for title in reader.read_pins()] == ["402"]
    assert "gain=DCG%28gains%3Dexp%29" in reader.page.url


def test_tooltip_of_a_curve_shows_rank_document_and_grade(reader: Reader) -> None:
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


def test_filters_select_points_and_change_the_address(reader: Reader) -> None:
    reader.open("/effort-gain")
    assert reader.read_text("#lede").startswith("63 rankings")
    reader.page.locator("#controls summary", has_text="Runs").click()
    reader.perform(reader.page.get_by_label("alpha1", exact=True).check)
    assert reader.read_text("#lede").startswith("7 of 63 rankings")
    assert "run=alpha1" in reader.page.url
    reader.page.keyboard.press("Escape")
    assert not reader.page.get_by_label("alpha1", exact=True).is_visible()
    reader.perform(reader.page.go_back)
    assert reader.read_text("#lede").startswith("63 rankings")
    reader.open("/effort-gain", run="alpha1", archetype="ideal")
    assert "No ranking matches" in reader.read_text("#lede")


def test_changing_the_measure_of_gain_moves_the_points(reader: Reader) -> None:
    reader.open("/effort-gain")
    old_position = reader.locate_point("alpha1", "402")
    field = reader.page.get_by_label("Gain", exact=True)
    field.fill("P@5")
    reader.perform(lambda: field.press("Enter"))
    assert reader.locate_point("alpha1", "402") != old_position


def test_clicking_a_mark_opens_its_page(reader: Reader) -> None:
    reader.open("/pair", a="alpha1", b="birch1")
    position = reader.locate_mark("differences", "topic", "404")
    reader.perform(lambda: reader.page.mouse.click(*position))
    assert "Topic 404" in reader.read_text("#lede")
    position = reader.locate_mark("crp-topic", "run", HOSTILE_RUN)
    reader.perform(lambda: reader.page.mouse.click(*position))
    assert reader.read_pins() == [f"{HOSTILE_RUN} on topic 404"]


# Keyboard ------------------------------------------------------------------------------------------------------


def test_pages_can_be_used_by_keyboard(reader: Reader) -> None:
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
    reader.perform(lambda: press("Enter"))
    assert "sort=RR" in page.url
    assert page.evaluate("document.activeElement.textContent") == "RR"


def test_rankings_are_pinned_and_removed_by_keyboard(reader: Reader) -> None:
    page, press = reader.open("/effort-gain").page, reader.page.keyboard.press
    page.locator("#pin-form select").first.focus()
    page.keyboard.type("birch2")
    press("Tab")
    page.keyboard.type("404")
    press("Tab")
    reader.perform(lambda: press("Enter"))
    assert reader.read_pins() == ["birch2 on topic 404"]
    for _ in range(4):  # skip the gain curve and the links of the title
        press("Tab")
    assert "Remove the pin" in page.evaluate("document.activeElement.ariaLabel")
    reader.perform(lambda: press("Enter"))
    assert reader.read_pins() == []
    assert page.evaluate("document.activeElement.tagName") == "SELECT"


# Themes --------------------------------------------------------------------------------------------------------


def _background(reader: Reader) -> str:
    return str(reader.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_theme_is_changed_and_remembered(reader: Reader) -> None:
    reader.open("/")
    light_background, light_picture = _background(reader), _picture(reader)
    reader.page.get_by_role("button", name="Use the dark theme").click()
    reader.wait_until(lambda: _picture(reader) != light_picture, "the figure in the other theme")
    assert _background(reader) != light_background
    reader.open("/lab")
    assert reader.page.locator("html").get_attribute("data-theme") == "dark"
    reader.page.get_by_role("button", name="Use the light theme").click()
    assert _background(reader) == light_background


def test_figures_follow_the_palette_and_the_window_width(reader: Reader) -> None:
    reader.open("/pair")
    request_count = len(reader.requests)
    reader.page.locator("#campaign-line").click()
    reader.page.get_by_label("Palette of figures").select_option("papers")
    reader.wait_until(lambda: any("palette=papers" in url for url in reader.requests[request_count:]), "other colours")
    reader.settle()
    # There is no canvas while a figure is redrawn.
    width_script = "() => document.querySelector('#differences canvas')?.getBoundingClientRect().width ?? 9999"
    old_width = reader.page.evaluate(width_script)
    reader.page.set_viewport_size({"width": 700, "height": 900})
    reader.wait_until(lambda: reader.page.evaluate(width_script) < old_width < 9999, "less room")
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 700


def _picture(reader: Reader) -> str:
    return str(reader.page.locator("#census canvas").evaluate("canvas => canvas.toDataURL()"))


@dark
def test_dark_system_theme_is_respected(reader: Reader) -> None:
    reader.open("/")
    assert _background(reader) == "rgb(13, 15, 18)"
    assert reader.page.get_by_role("button", name="Use the light theme").is_visible()


# Saving --------------------------------------------------------------------------------------------------------


def test_figures_can_be_saved(reader: Reader, tmp_path: Path) -> None:
    reader.open("/pair", a="alpha1", b=HOSTILE_RUN)
    figure = reader.page.locator('[data-figure="differences"]')
    for file_format, prefix in (("PNG", b"\x89PNG\r\n"), ("SVG", b"<svg"), ("CSV", b"kind,place,topic")):
        with reader.page.expect_download() as download:
            figure.locator(".tool", has_text=file_format).click()
        path = tmp_path / file_format
        download.value.save_as(path)
        assert path.read_bytes().startswith(prefix)
        assert re.fullmatch(r"differences[\w.@=-]*\." + file_format.lower(), download.value.suggested_filename)
    assert HOSTILE_RUN in (tmp_path / "CSV").read_text()


# The lab -------------------------------------------------------------------------------------------------------


def test_slider_changes_the_leaderboard_and_the_balancing_index(reader: Reader) -> None:
    reader.open("/lab", measure="RBP(p=0.8)")
    old_values, old_note = reader.read_column("#effect", 3), reader.read_text("#balance-note")
    slider = reader.page.get_by_role("slider", name="p persistence")
    slider.focus()
    for _ in range(10):
        reader.page.keyboard.press("ArrowRight")
    reader.wait_until(lambda: "p%3D0.9" in reader.page.url, "the address")
    reader.settle()
    assert reader.read_column("#effect", 3) != old_values
    assert reader.read_text("#balance-note") != old_note
    assert reader.page.get_by_label("Notation").input_value() == "RBP(p=0.9)"
    assert "leads by RBP(p=0.9)" in reader.read_text("#lede")
    assert slider.evaluate("node => node === document.activeElement")


def test_equal_runs_are_tied_for_first(reader: Reader) -> None:
    reader.open("/lab", measure="NumRel")
    assert " and 8 other runs are tied for first by NumRel with " in reader.read_text("#lede")
    reader.open("/", measure="NumRel")
    assert " and 8 other runs are tied for first by NumRel with " in reader.read_text("#lede")


def test_form_shows_the_parameters_of_the_measure(reader: Reader) -> None:
    reader.open("/lab")
    reader.perform(lambda: reader.page.get_by_label("Measure", exact=True).select_option("nDCG"))
    assert "measure=nDCG" in reader.page.url
    reader.perform(lambda: reader.page.locator('[data-parameter="gains"] select').select_option("exp"))
    assert reader.page.get_by_label("Notation").input_value() == "nDCG(gains=exp)@10"
    field = reader.page.get_by_label("Notation")
    field.fill("nDCG(gains={1:3,2:9})@5")
    reader.perform(lambda: field.press("Enter"))
    assert reader.page.locator('[data-parameter="gains"] select').input_value() == "{1:3,2:9}"
    assert reader.page.locator('[data-parameter="cutoff"] input[type=number]').input_value() == "5"


def test_measure_names_of_trec_eval_are_accepted(reader: Reader) -> None:
    reader.open("/", measure=["map", "ndcg_cut_10"])
    assert "leads by AP" in reader.read_text("#lede")
    assert reader.page.locator("#leaderboard th", has_text="nDCG@10").count() == 1
    reader.open("/lab", measure="ndcg_cut_5")
    assert reader.page.get_by_label("Notation").input_value() == "nDCG@5"


# Errors --------------------------------------------------------------------------------------------------------


INVALID_ADDRESSES = [
    ("/", {"measure": "nDGC"}, "did you mean nDCG"),
    ("/topic", {"topic": "nowhere"}, "there is no topic 'nowhere'"),
    ("/system", {"run": "nobody"}, "there is no run 'nobody'"),
    ("/pair", {"a": "alpha1", "b": "alpha1"}, "choose two different runs"),
    ("/lab", {"measure": "RBP(p=2)"}, "p must be"),
]


def test_invalid_address_shows_an_error_message(reader: Reader) -> None:
    for path, query, message in INVALID_ADDRESSES:
        reader.open(path, **query)
        assert message in reader.read_text("#problem")
        assert reader.page.locator("#problem").get_attribute("role") == "alert"
        _expect_failed_requests_only(reader)


def test_invalid_pin_shows_an_error_in_its_place(reader: Reader) -> None:
    reader.open("/effort-gain", pin=["alpha1~402", "nobody~402", "no pin at all"])
    assert len(reader.read_pins()) == 2
    assert "there is no run 'nobody'" in reader.read_text(".pin-2 .status")
    assert reader.read_text("#pins-note") == "2 of 6 · not shown: “no pin at all”; write a pin as run~topic"
    assert reader.count_colours("crp-dcg") > 3
    _expect_failed_requests_only(reader)


def test_missing_page_links_to_the_existing_ones(reader: Reader) -> None:
    reader.page.goto(f"{reader.address}nowhere")
    assert reader.page.locator("nav a").count() == 7
    assert "no page at this address" in reader.read_text(".problem")
    _expect_failed_requests_only(reader)


def test_unreachable_server_is_reported(reader: Reader) -> None:
    reader.open("/")
    reader.page.route("**/api/**", lambda route: route.abort())
    reader.perform(reader.page.locator("#leaderboard th button", has_text="RR").click)
    assert "does not answer" in reader.read_text("#problem")
    reader.page.unroute("**/api/**")
    reader.perform(reader.page.go_back)
    assert not reader.page.locator("#problem").is_visible()
    _expect_failed_requests_only(reader)


def _expect_failed_requests_only(reader: Reader) -> None:
    """Assert that failed requests, which the browser reports, are the only problems; then clear them."""
    other_problems = [problem for problem in reader.problems if "Failed to load resource" not in problem]
    assert other_problems == []
    assert reader.problems
    reader.problems.clear()
