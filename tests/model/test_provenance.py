"""Provenance as plain values."""

from __future__ import annotations

import json

from assay.model.policies import Policies
from assay.model.provenance import Input, Provenance


def test_provenance_serializes_to_json() -> None:
    provenance = Provenance((Input("run", "a", "a.run", None),), Policies(seed=2), version="1.2")
    plain = json.loads(json.dumps(provenance.as_dict()))
    assert plain["assay"] == "1.2"
    assert plain["inputs"] == [{"role": "run", "name": "a", "source": "a.run", "sha256": None}]
    assert plain["policies"]["seed"] == 2


def test_sources_list_only_the_runs() -> None:
    inputs = (Input("qrels", "q", "q.txt", None), Input("run", "b", "b.run", None), Input("run", "a", "x/a.run", None))
    assert Provenance(inputs, Policies()).sources == ["b.run", "x/a.run"]
