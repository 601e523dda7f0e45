"""Z-scores (``-Z``): values in standard deviations from the mean of other runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import InputError
from assay.io import source as sources
from assay.io.problems import Problems
from assay.io.text import check_number, decode_columns, refuse_cr, split_fields, strip_bom
from assay.model.arrays import Floats

MISSING = -1000000.0
_EXPECTED = "4 columns (topic measure mean deviation)"


class Zscores:
    """Means and standard deviations by topic and measure, from a file of lines ``topic measure mean deviation``."""

    def __init__(self, path: str) -> None:
        source = sources.read(path)
        problems = Problems(source.path)
        self._known: dict[tuple[str, str], tuple[float, float]] = {}
        text = strip_bom(source.data, source.path)
        refuse_cr(text, source.path)
        for number, line in enumerate(text.split(b"\n"), 1):
            fields = split_fields(line, 4)
            if fields and not fields[0].startswith(b"#"):
                self._add(fields, f"{source.path}:{number}", problems)
        if not self._known:
            raise InputError(f"{source.path}: the file is empty")

    def _add(self, fields: list[bytes], where: str, problems: Problems) -> None:
        """Add the mean and the standard deviation of one line; refuse a second line for the same topic and measure."""
        texts = decode_columns(fields, 4, _EXPECTED, where, problems)
        if texts is not None and all(check_number(text, "number", where, problems) for text in texts[2:]):
            if (texts[0], texts[1]) in self._known:
                raise InputError(f"{where}: duplicate line for {texts[1]} of topic {texts[0]}; remove one")
            self._known[texts[0], texts[1]] = float(texts[2]), float(texts[3])

    def __call__(self, topics: Sequence[str], labels: Sequence[str], values: Floats) -> Floats:
        """Return the z-score of each value (labels x topics); -1000000 if the file has no line for its topic and label.

        If the standard deviation is 0, the z-score of the mean is 0 and any other value counts as missing.
        """
        known = [[self._known.get((topic, label), (np.nan, np.nan)) for topic in topics] for label in labels]
        mean, deviation = np.moveaxis(np.array(known, dtype=np.float64).reshape(*values.shape, 2), -1, 0)
        varies = deviation != 0
        score = np.divide(values - mean, deviation, out=np.zeros(values.shape), where=varies)
        is_missing = np.isnan(mean) | (~varies & (values != mean))
        return np.where(is_missing, MISSING, score)
