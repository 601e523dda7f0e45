"""``gate``: decide whether a candidate loses more than a tolerated amount against a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from assay.engine.campaign import Campaign
from assay.errors import InputError, PolicyError, check_choice
from assay.io.fork import refuse_fork
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.checks import check_fraction, check_integer
from assay.model.notes import join_names
from assay.model.provenance import Input, Provenance
from assay.results.external.measures import refuse_unstated_directions
from assay.results.results import Results
from assay.results.slices import Slices, slice_topics
from assay.significance._gate.baseline import (
    Baseline,
    Direction,
    evaluate_values,
    get_policies,
    has_json_name,
    is_baseline_file,
    make_baseline,
    read_baseline,
)
from assay.significance._gate.margins import Requirement, find_measures, parse_requirements
from assay.significance._gate.notes import note_gate
from assay.significance._gate.report import Gate
from assay.significance._gate.rows import align_values, judge
from assay.significance._gate.statistics import GateSettings
from assay.significance._gate.verdicts import REQUIRED, UNDECIDED, VERDICTS, WATCH
from assay.significance.base import SignificanceTest, significance_tests
from assay.significance.own_values import refuse_own_values
from assay.significance.validation import resolve_baselines, resolve_test


@check_arguments
def gate(
    source: Campaign | Results,
    baseline: str | Path | Baseline | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    margins: Mapping[str, float | str],
    watch: Mapping[str, float | str] | None = None,
    topics_table: Any = None,
    by: str | Iterable[str] = (),
    test: str | SignificanceTest = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    min_topics: int = 10,
    min_coverage: float = 0.8,
    on_undecided: str = UNDECIDED,
    resamples: int | None = None,
    seed: int = 0,
) -> Gate:
    r"""Decide whether candidates lose more than a tolerated amount against a baseline: pass, fail or undecided.

    A candidate **passes** if a test shows that the mean loss is below the margin (non-inferiority), and **fails** if a
    test shows that the loss is above it. Otherwise the topics do not suffice, and the gate is **undecided**. The
    hypotheses share one border. For the gains :math:`d_t` (the difference candidate - baseline, negative where the
    candidate is worse) and the margin M, both tests compare the mean of :math:`d_t + M` with 0. A relative margin r is
    tested as a contrast: the mean of :math:`c_t - (1 - r) b_t` if higher values are better, :math:`(1 + r) b_t - c_t`
    if lower values are better.

    All required measures must pass, each at level alpha: the chance to pass although some measure loses its margin is
    at most alpha. Any row that fails makes the gate fail; p of failing is adjusted by Holm's method over all rows of a
    candidate. If fewer than 10 topics changed, a pass also needs p U l < M, where U is the upper confidence limit of
    the share of losing topics (Clopper and Pearson) and l is their mean loss. The t test alone would be too sure that
    rare losses stay rare.

    Parameters
    ----------
    source
        A campaign, or results of :func:`assay.evaluate`. Every run except the baseline is a candidate.
    baseline
        The name of a run, a file written by ``assay gate --save`` (or :meth:`Gate.save`), or the results of one run.
        The candidate must be evaluated with the policies of the file. Topics count if their judgments are unchanged.
    measures
        The required measures; by default those of *margins*.
    margins
        The tolerated loss of each required measure: a difference such as 0.01, or a percentage of the mean of the
        baseline such as ``"2%"``. With 0, the candidate must be better, or identical.
    watch
        Further measures and their margins. They can make the gate fail, but need not pass.
    topics_table, by
        Attributes of topics, and the attributes by which the required measures are also watched in slices; see
        :meth:`Results.by`.
    test
        ``t``, ``randomization`` or ``bootstrap``.
    alpha, power
        Level of both tests, and probability of a pass for the number of topics needed.
    min_topics
        With fewer topics, a row is undecided.
    min_coverage
        If a smaller share of the topics can be used, because topics or judgments changed since the baseline was
        written, the gate is undecided.
    on_undecided
        The verdict that the exit code reports if the gate is undecided: ``undecided`` (3), ``fail`` (1) or ``pass``
        (0).
    resamples, seed
        Number of resamples and seed of the randomization and bootstrap tests.

    References
    ----------
    Schuirmann, *A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence
    of average bioavailability*, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987. Berger, *Multiparameter
    hypothesis testing and acceptance sampling*, Technometrics 24, 1982 (intersection-union tests). Fieller, *Some
    problems in interval estimation*, JRSS B 16, 1954. Clopper & Pearson, *The use of confidence or fiducial limits
    illustrated in the case of the binomial*, Biometrika 26, 1934.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(20)}
    >>> old = {f"q{i}": {"a": 1.0, "b": float(i % 3)} for i in range(20)}
    >>> new = {f"q{i}": {"a": 1.0, "b": float(i % 4)} for i in range(20)}
    >>> gate = assay.gate(assay.read(qrels, {"old": old, "new": new}), "old", margins={"RR": 0.1})
    >>> gate.verdict, gate.exit_code
    ('undecided', 3)
    """
    refuse_fork()
    settings = check_settings(
        test=test,
        alpha=alpha,
        power=power,
        min_topics=min_topics,
        min_coverage=min_coverage,
        on_undecided=on_undecided,
        resamples=resamples,
        seed=seed,
    )
    requirements = parse_requirements(margins, watch or {}, measures)
    stored = _find_stored_baseline(baseline)
    if stored is not None:
        _check_policies(stored, source)
    values = evaluate_values(source, [one.measure for one in requirements])
    chosen = find_measures(requirements, values.results)
    refuse_unstated_directions(chosen)
    candidates = values.results.runs
    if stored is None:
        name = _find_run(str(baseline), values.results)
        stored, candidates = values.to_baseline(name), tuple(run for run in candidates if run != name)
    _check_measures(stored, chosen)
    if not candidates:
        raise InputError(f"runs: there is no candidate besides the baseline {stored.run}; name another run")
    aligned = align_values(values, stored, candidates)
    slices = _divide_topics(aligned.results, topics_table, by)
    slice_notes = () if slices is None else (*slices.notes, *refuse_own_values(aligned.results, slices))
    groups = () if slices is None else slices.slices
    judged = [judge(aligned, number, chosen, groups, settings) for number in range(len(candidates))]
    report = Gate(
        rows=tuple(row for rows in judged for row in rows),
        candidates=candidates,
        baseline=stored,
        values=values,
        aligned=aligned,
        settings=settings,
        on_undecided=on_undecided,
        provenance=_describe_settings(values.results.provenance, stored, requirements, settings, slices),
        notes=(),
    )
    return replace(report, notes=(*note_gate(report), *slice_notes))


def check_settings(
    *,
    test: str | SignificanceTest = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    min_topics: int = 10,
    min_coverage: float = 0.8,
    on_undecided: str = UNDECIDED,
    resamples: int | None = None,
    seed: int = 0,
) -> GateSettings:
    """Return the settings of a gate; raise an error for settings that are invalid for all results."""
    check_choice(f"on_undecided {on_undecided!r}", on_undecided, VERDICTS)
    check_integer("min_topics", min_topics, 2)
    if not 0 <= min_coverage <= 1:
        raise InputError(f"min_coverage must be a share from 0 to 1, such as 0.8, got {min_coverage:g}")
    one_sided = [name for name, kind in significance_tests().items() if hasattr(kind, "compute_tails")]
    if (test if isinstance(test, str) else getattr(test, "name", None)) not in one_sided:
        check_choice(f"test {test!r}", str(test), one_sided)
    if not check_fraction("alpha", alpha) < 0.5:
        raise InputError(f"alpha must be below 0.5, got {alpha:g}")
    if not alpha < check_fraction("power", power, 0.8):
        raise InputError(f"power must be above alpha={alpha:g}, got {power:g}")
    return GateSettings(resolve_test(test, resamples=resamples, seed=seed), alpha, power, min_topics, min_coverage)


def _find_stored_baseline(baseline: str | Path | Baseline | Results) -> Baseline | None:
    """Return the baseline if its values are known; None if it is the name of a run."""
    if isinstance(baseline, Baseline):
        return baseline
    if isinstance(baseline, Results):
        return make_baseline(baseline)
    return read_baseline(baseline) if is_baseline_file(baseline) else None


def _find_run(baseline: str, results: Results) -> str:
    """Return the run that is the baseline; if there is none, mention that baselines can also be files."""
    try:
        return resolve_baselines(baseline, results.runs, results.provenance)[0]
    except InputError:
        if not has_json_name(baseline):
            raise
        problem = "there is no such run, and no such file written by --save"
        raise InputError(f"baseline {baseline!r}: {problem}; the runs are {join_names(results.runs)}") from None


def _check_policies(baseline: Baseline, source: Campaign | Results) -> None:
    """Raise an error if the candidate is evaluated with other policies than the baseline."""
    policies = get_policies(source)
    for name, value in baseline.policies.items():
        if policies and policies.get(name) != value:
            where = baseline.source or f"baseline {baseline.run}"
            raise PolicyError(
                f"{name} {str(policies.get(name))!r}: the values of {where} have {name} {value!r}; use this policy, or "
                "write a new baseline with --save"
            )


def _check_measures(baseline: Baseline, measures: Iterable[Measure]) -> None:
    """Raise an error if the baseline lacks a measure, or has values of another direction."""
    where = baseline.source or f"baseline {baseline.run}"
    for measure in measures:
        if str(measure) not in baseline.directions:
            names = join_names(baseline.directions)
            raise InputError(f"{where}: has no values of {measure}, only of {names}; write it again with --save")
        if baseline.directions[str(measure)] != Direction(measure.lower_is_better, measure.aggregate):
            problem = "has another direction or mean than the values of the candidate"
            raise InputError(f"{where}: {measure} {problem}; write it again with --save")


def _divide_topics(results: Results, topics_table: Any, by: str | Iterable[str]) -> Slices | None:
    """Divide the topics into slices; None if no slices are requested."""
    if topics_table is None:
        if by:
            raise InputError("by: needs topics_table, a table with the attributes of topics")
        return None
    return slice_topics(results.topics, topics_table, by)


def _describe_settings(
    provenance: Provenance,
    baseline: Baseline,
    requirements: Iterable[Requirement],
    settings: GateSettings,
    slices: Slices | None,
) -> Provenance:
    """Return the provenance with the settings of the gate, and with the file of the baseline."""
    if baseline.source is not None:
        source = Input("baseline", baseline.run, baseline.source, baseline.digest)
        provenance = replace(provenance, inputs=(*provenance.inputs, source))
    margins: dict[str, dict[str, str]] = {REQUIRED: {}, WATCH: {}}
    for requirement in requirements:
        margins[requirement.role][requirement.measure] = str(requirement.margin)
    provenance = provenance if slices is None else slices.add_settings(provenance)
    return provenance.with_settings(
        baseline=baseline.run,
        margins=margins[REQUIRED],
        watch=margins[WATCH],
        test={"name": settings.test.name, **asdict(settings.test)},
        alpha=settings.alpha,
        power=settings.power,
        min_topics=settings.min_topics,
        min_coverage=settings.min_coverage,
    )
