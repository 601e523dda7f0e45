"""Call trec_eval itself on inputs that pytrec_eval does not accept.

pytrec_eval contains all of trec_eval 9, but passes only qrels to it. Its library also has the functions that read
other formats and compute their measures; they are called here as by ``trec_eval -R format -m measure``.
Preferences must not contradict each other, because trec_eval would end the process.
"""

import ctypes as c
from functools import cache
from pathlib import Path

import pytest

_TEXT, _LONG, _ANY = c.c_char_p, c.c_long, c.c_void_p


def _struct(name, /, **fields):
    return type(name, (c.Structure,), {"_fields_": list(fields.items())})


_Options = _struct(
    "_Options",
    query=_LONG,
    summary=_LONG,
    debug=_LONG,
    debug_query=_TEXT,
    relation=_LONG,
    complete=_LONG,
    judged_only=_LONG,
    collection=_LONG,
    level=_LONG,
    most=_LONG,
    rel_format=_TEXT,
    run_format=_TEXT,
    zscore=_LONG,
    arguments=_ANY,
)
_Value = _struct("_Value", name=_TEXT, value=c.c_double)
_Eval = _struct("_Eval", topic=_TEXT, topics=_LONG, values=c.POINTER(_Value), number=_LONG, space=_LONG)
_Rel = _struct("_Rel", topic=_TEXT, format=_TEXT, data=_ANY)
_Rels = _struct("_Rels", number=_LONG, space=_LONG, each=c.POINTER(_Rel))
_Result = _struct("_Result", topic=_TEXT, tag=_TEXT, format=_TEXT, data=_ANY)
_Results = _struct("_Results", number=_LONG, space=_LONG, each=c.POINTER(_Result))
_Parameters = _struct("_Parameters", text=_TEXT, number=_LONG, values=_ANY)
_Compute = c.CFUNCTYPE(c.c_int, *[c.POINTER(kind) for kind in (_Options, _Rel, _Result)], _ANY, c.POINTER(_Eval))
_Measure = _struct(
    "_Measure",
    name=_TEXT,
    about=_TEXT,
    start=_ANY,
    compute=_Compute,
    **dict.fromkeys(("add", "average", "show", "end"), _ANY),
    parameters=c.POINTER(_Parameters),
    index=_LONG,
)


@cache
def _library():
    extension = pytest.importorskip("pytrec_eval_ext")
    library = c.CDLL(extension.__file__)
    if not hasattr(library, "te_get_prefs") or not hasattr(library, "te_meas_prefs_simp"):
        pytest.skip("this build of pytrec_eval does not export the functions of trec_eval")
    return library


def trec_eval_code(folder, form, judgments, run, measures, *, level=1, most=2**31 - 1, judged_only=False):
    """Return ``{topic: {name: value}}`` for the texts of judgments and of a run.

    Each call needs new topic names, because trec_eval remembers the last topic.
    """
    library = _library()
    options = _Options(
        summary=1,
        relation=1,
        level=level,
        most=most,
        judged_only=judged_only,
        rel_format=form.encode(),
        run_format=b"trec_results",
    )
    rels, results = _Rels(), _Results()
    _read(getattr(library, f"te_get_{form}"), options, Path(folder) / "judgments", judgments, rels)
    _read(library.te_get_trec_results, options, Path(folder) / "run", run, results)
    rel_of = {rels.each[i].topic: rels.each[i] for i in range(rels.number)}
    answered = [results.each[i] for i in range(results.number) if results.each[i].topic in rel_of]
    values = {
        result.topic.decode(): {
            name: value
            for measure in measures
            for name, value in _compute(library, measure, options, rel_of[result.topic], result)
        }
        for result in answered
    }
    getattr(library, f"te_get_{form}_cleanup")()
    library.te_get_trec_results_cleanup()
    return values


def _read(function, options, path, text, into):
    path.write_text(text)
    assert function(c.byref(options), str(path).encode(), c.byref(into)) == 1


def _compute(library, name, options, rel, result):
    measure = _Measure.in_dll(library, f"te_meas_{name}")
    names = _names(name, measure)
    values = (_Value * len(names))()
    evaluation = _Eval(topic=result.topic, topics=1, values=values, number=len(names), space=len(names))
    measure.index, before = 0, measure.index
    status = measure.compute(c.byref(options), c.byref(rel), c.byref(result), c.addressof(measure), c.byref(evaluation))
    measure.index = before
    assert status == 1
    return [(label, value.value) for label, value in zip(names, values, strict=True)]


def _names(name, measure):
    if not measure.parameters:
        return [name]
    parameters = measure.parameters[0]
    if name.startswith("P_"):
        return [f"{name}_{cutoff}" for cutoff in (_LONG * parameters.number).from_address(parameters.values)]
    return [f"{name}_{multiple:.2f}" for multiple in (c.c_double * parameters.number).from_address(parameters.values)]
