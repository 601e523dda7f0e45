"""Report of the agreement of judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.judges import coefficients as co
from assay.judges.ratings import Ratings
from assay.model.arrays import Floats
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, floats_to_integers

ALL = "all"


class Coefficient(NamedTuple):
    """A coefficient of agreement: its name, its weights or metric, and its value with interval."""

    statistic: str
    weights: str
    estimate: co.Estimate


class Bias(NamedTuple):
    """Bias of judge b relative to judge a.

    *over* and *under* are the fractions of documents with a higher and with a lower grade by b. *shift* is the mean
    over topics of the mean difference b - a of a topic. *relevant_a* and *relevant_b* are the fractions of relevant
    documents.
    """

    over: float
    under: float
    shift: float
    low: float
    high: float
    p: float
    relevant_a: float
    relevant_b: float


@dataclass(frozen=True, eq=False)
class JudgePair:
    """The comparison of two judges on the documents that both judged; *tables* has a table for each topic."""

    ratings: Ratings
    tables: Floats
    only_a: int
    only_b: int
    coefficients: tuple[Coefficient, ...]
    bias: Bias
    margins: co.MarginTests

    @property
    def judges(self) -> tuple[str, str]:
        """Names of the two judges; the first is the reference."""
        a, b = self.ratings.judges
        return a, b

    def find(self, statistic: str, weights: str = "") -> co.Estimate:
        """Return a coefficient by name."""
        return next(one.estimate for one in self.coefficients if (one.statistic, one.weights) == (statistic, weights))


@dataclass(frozen=True, eq=False)
class JudgeAgreement(Report):
    """Agreement and bias of judges; the report of :func:`agree`.

    Attributes
    ----------
    ratings
        The grades of all judges.
    pairs
        The comparison of each pair of judges.
    together
        Krippendorff's alpha of all judges, if there are more than two.
    confidence
        Level of the intervals.
    provenance, notes
        The files of the judgments, and notes on them.
    """

    ratings: Ratings
    pairs: tuple[JudgePair, ...]
    together: tuple[Coefficient, ...]
    confidence: float
    provenance: Provenance
    notes: tuple[str, ...]

    name = "agree"
    tables: ClassVar[Mapping[str, str]] = {
        "coefficients": "coefficients of agreement of each pair of judges, with intervals over topics",
        "bias": "which judge gives higher grades",
        "confusion": "grades of one judge against grades of the other",
        "grades": "agreement for each grade of the reference",
        "topics": "agreement and bias of each topic",
    }

    def __repr__(self) -> str:
        return f"JudgeAgreement({', '.join(self.ratings.judges)}: {pluralize(len(self.ratings.grade), 'document')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each coefficient: judge_a, judge_b, statistic, weights, value, low, high, pairs, topics.

        *judge_a* and *judge_b* are null for coefficients of all judges together.
        """
        rows: list[tuple[object, ...]] = [
            (*pair.judges, *_coefficient_row(one), len(pair.ratings.grade), len(pair.ratings.topics))
            for pair in self.pairs
            for one in pair.coefficients
        ]
        paired = int(((~np.isnan(self.ratings.grade)).sum(axis=1) > 1).sum())
        rows += [(None, None, *_coefficient_row(one), paired, len(self.ratings.topics)) for one in self.together]
        schema = {
            **dict.fromkeys(("judge_a", "judge_b", "statistic", "weights"), pl.String),
            **dict.fromkeys(("value", "low", "high"), pl.Float64),
            **dict.fromkeys(("pairs", "topics"), pl.Int64),
        }
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))

    def summary(self) -> str:
        """State agreement, kappa and bias of each pair of judges."""
        return "\n".join(_conclude(pair) for pair in self.pairs[:3])

    # Tables -----------------------------------------------------------------------------------------------------

    def _show_coefficients(self) -> Table:
        frame = self.frame()
        names = {"none": "unweighted", "": ""}
        texts = [
            f"{'AC1' if weights == 'none' else 'AC2'} ({names.get(weights, weights)})"
            if statistic == "gwet"
            else f"{statistic} ({names.get(weights, weights)})".removesuffix(" ()")
            for statistic, weights in frame.select("statistic", "weights").rows()
        ]
        judges = [f"{a} / {b}" if a else "all judges" for a, b in frame.select("judge_a", "judge_b").rows()]
        compact = frame.select(
            pl.Series("judges", judges, dtype=pl.String), pl.Series("coefficient", texts, dtype=pl.String), "value"
        )
        has_one = len(self.pairs) == 1 and not self.together
        return Table(
            frame,
            compact.drop("judges") if has_one else compact,
            heading=None if has_one else "judges",
            intervals={"value": (frame["low"].to_list(), frame["high"].to_list())},
            interval_name=self._interval_name,
            caption=(
                "agreement: fraction of documents with the same grade; kappa and alpha: 0 is agreement by chance, 1 is "
                "perfect agreement\nintervals: by leaving out one topic at a time"
            ),
        )

    @property
    def _interval_name(self) -> str:
        return f"{100 * self.confidence:.6g} % CI"

    def _show_bias(self) -> Table:
        rows = [
            {
                **dict(zip(("judge_a", "judge_b"), pair.judges, strict=True)),
                "pairs": len(pair.ratings.grade),
                "only_a": pair.only_a,
                "only_b": pair.only_b,
                **pair.bias._asdict(),
                "bowker": pair.margins.bowker,
                "bowker_df": pair.margins.bowker_df,
                "bowker_p": pair.margins.bowker_p,
                "stuart_maxwell": pair.margins.stuart_maxwell,
                "df": pair.margins.df,
                "p_margins": pair.margins.p,
            }
            for pair in self.pairs
        ]
        frame = pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
        compact = frame.select(
            pl.col("judge_b").alias("judge"), pl.col("judge_a").alias("against"), "over", "under", "shift", "p"
        )
        return Table(
            frame,
            compact,
            probability_columns={"p": 0.0},
            intervals={"shift": (frame["low"].to_list(), frame["high"].to_list())},
            interval_name=self._interval_name,
            caption=(
                "over, under: fraction of documents with a higher, or lower, grade by the judge of the row\n"
                "shift: mean difference of grades over topics, with a t test over topics\n"
                "--wide also has the tests of Bowker and of Stuart and Maxwell, which assume independent documents and "
                "are therefore too often significant"
            ),
        )

    def _show_confusion(self) -> Table:
        return _stack(
            self.pairs, _tabulate_confusion, "rows: grades of the first judge; columns: grades of the second judge"
        )

    def _show_grades(self) -> Table:
        return _stack(
            self.pairs,
            _tabulate_grades,
            "same: fraction of the documents with this grade by the first judge that get the same grade by the second",
        )

    def _show_topics(self) -> Table:
        return _stack(
            self.pairs,
            _tabulate_topics,
            "kappa: unweighted, undefined if both judges use a single grade; shift: mean difference of the grades",
        )


def _coefficient_row(one: Coefficient) -> tuple[str, str, float, float, float]:
    return one.statistic, one.weights, one.estimate.value, one.estimate.low, one.estimate.high


def _conclude(pair: JudgePair) -> str:
    """State agreement, kappa and bias of a pair of judges."""
    a, b = pair.judges
    agreement, kappa, bias = pair.find("agreement"), pair.find("kappa", "none"), pair.bias
    topics = pluralize(len(pair.ratings.topics), "topic")
    count = len(pair.ratings.grade)
    first = f"{a} and {b} give the same grade to {100 * agreement.value:.1f} % of {count:,} documents."
    undefined = "Kappa is undefined, because only one grade occurs."
    second = undefined if np.isnan(kappa.value) else f"Kappa is {kappa.value:.3f}."
    if np.isnan(bias.p):
        return f"{first} {second} The bias could not be tested (one topic)."
    if bias.p < 0.05:
        verb = "higher" if bias.shift > 0 else "lower"
        third = f"{b} gives {verb} grades: on average by {abs(bias.shift):.3f} over {topics} (p {_write_p(bias.p)})."
    else:
        third = f"The bias over {topics} is not significant (p {_write_p(bias.p)})."
    return f"{first} {second} {third}"


def _write_p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}"


def _stack(
    pairs: Sequence[JudgePair], tabulate: Callable[[JudgePair], tuple[pl.DataFrame, pl.DataFrame]], caption: str
) -> Table:
    """Return a table with a part for each pair of judges; *tabulate* returns its frame and its compact form."""
    frames, shown = [], []
    for pair in pairs:
        frame, compact = tabulate(pair)
        a, b = pair.judges
        frames.append(frame.select(pl.lit(a).alias("judge_a"), pl.lit(b).alias("judge_b"), pl.all()))
        shown.append(compact.select(pl.lit(f"{a} / {b}").alias("judges"), pl.all()))
    has_one = len(pairs) == 1
    compact = pl.concat(shown, how="diagonal_relaxed")
    return Table(
        pl.concat(frames),
        compact.drop("judges") if has_one else compact,
        heading=None if has_one else "judges",
        caption=caption,
    )


def _tabulate_confusion(pair: JudgePair) -> tuple[pl.DataFrame, pl.DataFrame]:
    levels, table = pair.ratings.levels, pair.tables.sum(axis=0).astype(np.int64)
    row, column = np.indices(table.shape).reshape(2, -1)
    frame = pl.DataFrame({"grade_a": levels[row], "grade_b": levels[column], "documents": table.ravel()})
    names = [f"{level:g}" for level in levels]
    a, b = pair.judges
    total = np.concatenate([table, table.sum(axis=0, keepdims=True)])
    total = np.concatenate([total, total.sum(axis=1, keepdims=True)], axis=1)
    columns = {f"{b} {name}": total[:, i] for i, name in enumerate(names)}
    compact = pl.DataFrame({a: [*names, ALL], **columns, ALL: total[:, -1]})
    return frame, compact


def _tabulate_grades(pair: JudgePair) -> tuple[pl.DataFrame, pl.DataFrame]:
    levels, table = pair.ratings.levels, pair.tables.sum(axis=0)
    rows = []
    for index, level in enumerate(levels.tolist()):
        documents = table[index].sum()
        if documents:
            rows.append(
                {
                    "grade": level,
                    "documents": int(documents),
                    "same": table[index, index] / documents,
                    "higher": table[index, index + 1 :].sum() / documents,
                    "lower": table[index, :index].sum() / documents,
                    "mean": float(table[index] @ levels / documents),
                }
            )
    frame = pl.DataFrame(rows)
    return frame, floats_to_integers(frame, "grade")


def _tabulate_topics(pair: JudgePair) -> tuple[pl.DataFrame, pl.DataFrame]:
    difference = pair.ratings.grade[:, 1] - pair.ratings.grade[:, 0]
    documents = np.bincount(pair.ratings.topic, minlength=len(pair.ratings.topics))
    frame = pl.DataFrame(
        {
            "topic": pl.Series(pair.ratings.topics, dtype=pl.String),
            "pairs": documents,
            "agreement": co.agreement(pair.tables),
            "kappa": co.kappa(pair.tables, pair.ratings.levels),
            "shift": np.bincount(pair.ratings.topic, weights=difference, minlength=len(documents)) / documents,
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    return frame, frame
