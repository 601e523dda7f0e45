"""Tests of the metadata of the campaign."""

from __future__ import annotations

import pytest

from assay.effort import archetypes
from assay.measures import catalogue, measure
from assay.significance.base import significance_tests
from assay.views.explorer.figures import FIGURES
from assay.views.plots._style import PALETTES
from explorer_cases import QRELS, Client, client_of, simulated_state, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(small_state(undefined="exclude"))


def test_runs_topics_and_counts_of_the_campaign(client: Client) -> None:
    content = client.api("campaign")
    assert content["runs"] == [
        {"name": "x", "documents": 7, "topics": 3},
        {"name": "y", "documents": 5, "topics": 2},
        {"name": "z", "documents": 3, "topics": 2},
    ]
    assert content["topics"] == [
        {"topic": "1", "query": None, "relevant": 3, "judged": 4, "answered": 3},
        {"topic": "2", "query": None, "relevant": 1, "judged": 2, "answered": 2},
        {"topic": "3", "query": None, "relevant": 0, "judged": 2, "answered": 2},
    ]
    judgments = sum(map(len, QRELS.values()))
    assert content["counts"] == {"runs": 3, "topics": 3, "judgments": judgments, "retrieved": 15, "longest": 4}
    assert content["grades"] == [
        {"grade": 0.0, "judgments": 4},
        {"grade": 1.0, "judgments": 3},
        {"grade": 2.0, "judgments": 1},
    ]


def test_choices_match_the_registries(client: Client) -> None:
    content = client.api("campaign")
    assert [test["name"] for test in content["tests"]] == list(significance_tests())
    assert content["archetypes"] == list(archetypes.NAMES)
    assert content["palettes"] == list(PALETTES)
    assert content["figures"] == list(FIGURES)
    for name in content["defaults"]["measures"]:
        assert str(measure(name)) == name
    assert content["defaults"]["test"] in significance_tests()
    assert content["policies"]["undefined"] == "exclude"
    assert content["provenance"]["policies"]["undefined"] == "exclude"
    assert "y: lacks 1 of the 3 topics of the qrels; counted as empty rankings" in content["notes"]


def test_parameters_of_every_measure_are_described(client: Client) -> None:
    descriptions = {entry["name"]: entry for entry in client.api("campaign")["measures"]}
    assert list(descriptions) == list(catalogue())
    for name, description in descriptions.items():
        assert description["title"]
        assert description["examples"]
        assert all(measure(example).name == name for example in description["examples"])
        kinds = {parameter["kind"] for parameter in description["parameters"]}
        assert kinds <= {"int", "float", "choice", "text", "flag", "gains", "measure"}
    p = next(entry for entry in descriptions["RBP"]["parameters"] if entry["name"] == "p")
    assert (p["kind"], p["low"], p["below"], p["high"], p["needed"]) == ("float", 0, 1, None, False)
    cutoff = next(entry for entry in descriptions["P"]["parameters"] if entry["name"] == "cutoff")
    assert (cutoff["kind"], cutoff["low"], cutoff["at"], cutoff["needed"]) == ("int", 1, True, True)
    gains = next(entry for entry in descriptions["nDCG"]["parameters"] if entry["name"] == "gains")
    assert gains["kind"] == "gains"
    assert {"exp", "identity"} <= set(gains["choices"])


def test_metadata_is_small() -> None:
    assert len(client_of(simulated_state()).get("/api/campaign").text) < 90_000
