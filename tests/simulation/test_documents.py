"""Ids of simulated documents."""

import re

import numpy as np
import polars as pl

from assay.simulation.documents import draw_documents

SHAPES = {
    "MT": r"MT\d{6}-\d{4}",
    "EVN": r"EVN\d+-\d+",
    "GZ": r"GZ\d{2}-[1-4]-\d{3}-\d{5}",
    "crawl": r"crawl\d{2}-en\d{4}-\d{2}-\d{5}",
}


def sample_documents(count=20_000):
    return draw_documents(count, np.random.default_rng(3))


def test_ids_are_distinct_and_well_formed():
    ids = sample_documents().ids
    assert ids.n_unique() == len(ids) == 20_000
    assert all(re.fullmatch("|".join(SHAPES.values()), one) for one in ids.to_list())


def test_ids_are_distinct_in_a_large_collection():
    ids = sample_documents(500_000).ids
    assert ids.n_unique() == len(ids)


def test_every_source_occurs_and_lengths_differ():
    ids = sample_documents().ids
    assert all(ids.str.contains(f"^{shape}$").any() for shape in SHAPES.values())
    assert ids.str.len_bytes().n_unique() > 5


def test_id_rank_is_the_byte_order_of_the_ids():
    documents = sample_documents(500)
    by_rank = pl.Series(documents.ids.to_numpy()[np.argsort(documents.id_rank)]).to_list()
    assert by_rank == sorted(documents.ids.to_list(), key=str.encode)
