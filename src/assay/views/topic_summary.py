"""Median, minimum and maximum of a measure over the runs, by topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats


class TopicSummary(NamedTuple):
    """Median, minimum and maximum over the runs that have a value, by topic; NaN where no run has a value."""

    median: Floats
    low: Floats
    high: Floats


def summarize_topics(values: Floats) -> TopicSummary:
    """Summarize the values of one measure, runs x topics.

    >>> summarize_topics(np.array([[0.5, np.nan], [1.0, np.nan]]))
    TopicSummary(median=array([0.75,  nan]), low=array([0.5, nan]), high=array([ 1., nan]))
    """
    has_value = ~np.isnan(values).all(axis=0)
    summary = np.full((3, values.shape[1]), np.nan)
    summary[:, has_value] = [f(values[:, has_value], axis=0) for f in (np.nanmedian, np.nanmin, np.nanmax)]
    return TopicSummary(*summary)
