"""Record the output of every command, and compare two recordings: a check for changes that must not change numbers.

``python benchmarks/record.py record FOLDER`` writes one file for each command, figure and policy, on a simulated
collection (ties, unjudged documents, missing topics, four grades and a negative one) and, if its data are present, on
Robust 2003.
``python benchmarks/record.py compare ONE OTHER`` lists the files that differ in any character.
"""

from __future__ import annotations

import io
import itertools
import os
import shutil
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from assay.cli import main

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ASSAY_DATA") or ROOT.parent / "shared" / "data")
POLICIES = {
    "ties": ("trec_eval-10", "trec_eval-9", "rank", "file", "score-file", "score-id", "expected"),
    "missing": ("exclude",),
    "undefined": ("exclude",),
    "unjudged": ("condensed",),
}
MEASURES = "-m AP nDCG@10 P@10 RR bpref RBP(p=0.8) ERR@20 Twist Q Rprec"
COMMANDS = {
    "eval": f"eval QRELS RUNS {MEASURES} --per-topic",
    "bounds": "uncertainty bounds QRELS SOME -m AP nDCG@10 P@10 RBP(p=0.8) --per-topic",
    "compare": "compare QRELS RUNS -m AP nDCG@10",
    "compare-baseline": "compare QRELS RUNS -m AP P@10 --baseline FIRST --test wilcoxon --correction bh",
    "compare-tukey": "compare QRELS RUNS -m AP --test tukey",
    "compare-randomization": "compare QRELS SOME -m AP --test randomization --resamples 2000 --seed 3",
    "compare-bootstrap": "compare QRELS SOME -m AP --test bootstrap --resamples 2000 --margin 0.02 --power 0.8",
    "leaderboard": "leaderboard QRELS RUNS -m AP nDCG@10",
    "leaderboard-baseline": "leaderboard QRELS RUNS -m AP --baseline FIRST",
    "ties": "uncertainty ties QRELS SOME -m AP nDCG@10 bpref --show orders",
    "judgments": "meta judgments QRELS",
    "judgments-dcg": "meta judgments QRELS --show ideal",
    "med": "distance med SOME --qrels QRELS -m AP@100 nDCG@10 RBP(p=0.8) ERR@20 --per-topic",
    "med-unjudged": "distance med SOME -m RR P@10",
    "med-labels": "distance med SOME --qrels QRELS -m nDCG@10 --show labels",
    "rbo": "distance rbo SOME --per-topic",
    "order": "theory order QRELS SOME --show pairs",
    "order-pad": "theory order QRELS SOME --unequal pad --show pairs",
    "curve": "effort curve QRELS FIRSTFILE --topic TOPIC",
    "effort": "effort indicators QRELS RUNS --per-topic",
    "effort-gain": "effort against-gain QRELS RUNS --show classes",
    "depth": "uncertainty depth",
    "residual": "uncertainty residual QRELS SOME",
    "residual-pools": "uncertainty residual QRELS SOME --pools 10 --pools 50",
    "judge-next": "uncertainty judge-next QRELS SOME -n 200",
    "judge-next-compare": "uncertainty judge-next QRELS SOME -n 100 --all-topics",
    "judge-next-simulate": "uncertainty judging-curve QRELS SOME",
    "axioms": "theory axioms -m AP nDCG@10 ERR@10 bpref --show findings",
    "balance": "theory balance",
    "balance-simulate": "theory trials --trials 200",
    "correlate": f"meta correlate QRELS RUNS {MEASURES} --show pairs",
    "pool-depth": "meta pool-depth QRELS RUNS -m AP nDCG@10 --depths 5 --depths 20",
    "power": "meta power QRELS RUNS -m AP nDCG@10 --resamples 300",
    "power-t": "meta power QRELS RUNS -m AP --test tukey-randomized --resamples 300 --show pairs",
    "robustness": "meta robustness QRELS RUNS -m AP bpref --seeds 2",
    "significance-counts": "meta significance-counts QRELS RUNS -m AP nDCG@10",
}


def simulate_collection(folder: Path) -> tuple[str, list[str]]:
    """Write a collection on which every policy makes a difference."""
    run("simulate", str(folder), "--systems", "8", "--topics", "12", "--depth", "120", "--pool", "15", "--seed", "11")
    files = sorted((folder / "runs").iterdir())
    rng = np.random.default_rng(5)
    for number, file in enumerate(files):
        rows = [line.split() for line in file.read_text().splitlines()]
        if number % 2:  # ties
            rows = [[*row[:4], f"{float(row[4]):.1f}", row[5]] for row in rows]
        if number == 2:  # missing and unjudged topics
            rows = [[("999" if row[0] == rows[0][0] else row[0]), *row[1:]] for row in rows if row[0] != rows[-1][0]]
        if number == 4:  # rankings of unequal length
            rows = [row for row in rows if int(row[3]) <= 60 + 20 * (sum_characters(row[0]) % 4)]
        file.write_text("".join(" ".join(row) + "\n" for row in rows))
    qrels = folder / "qrels.txt"
    lines = qrels.read_text().splitlines()
    negative = set(rng.choice(len(lines), len(lines) // 20, replace=False).tolist())
    lines = [line.rsplit(" ", 1)[0] + " -1" if number in negative else line for number, line in enumerate(lines)]
    topic = lines[0].split()[0]
    lines += [f"{topic}x 0 nothing 0"]  # a topic without relevant documents
    qrels.write_text("\n".join(lines) + "\n")
    return str(qrels), [str(file) for file in files]


def sum_characters(text: str) -> int:
    return sum(map(ord, text))


def run(*arguments: str) -> tuple[str, str]:
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(errors):
        code = main(list(arguments))
    texts = [stream.buffer.getvalue().decode() for stream in (out, errors)]
    return texts[0], texts[1] + (f"exit {code}\n" if code else "")


def record(folder: Path) -> None:
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work, chdir(work):
        collections = {"simulated": simulate_collection(Path("collection"))}
        robust = DATA / "robust03"
        if robust.is_dir():
            Path("robust").symlink_to(robust)
            files = sorted(str(path) for path in Path("robust/runs").iterdir())
            collections["robust03"] = (str(next(Path("robust").glob("qrels*"))), files)
        for name, (qrels, files) in collections.items():
            record_collection(folder / name, qrels, files)


def record_collection(folder: Path, qrels: str, files: list[str]) -> None:
    folder.mkdir()
    tag = run("eval", qrels, files[0], "-m", "AP", "--format", "tsv")[0].splitlines()[1].split("\t")[0]
    topic = run("eval", qrels, files[0], "-m", "AP", "--per-topic", "--format", "tsv")[0].splitlines()[3].split("\t")[2]
    placeholders = {
        "QRELS": [qrels],
        "RUNS": files,
        "SOME": files[:3],
        "FIRST": [tag],
        "FIRSTFILE": files[:1],
        "TOPIC": [topic],
    }

    def expand(text: str) -> list[str]:
        return [argument for word in text.split() for argument in placeholders.get(word, [word])]

    def record_output(name: str, *command: str) -> None:
        out, errors = run(*command)
        (folder / name).write_text(f"{out}--\n{errors}")
        print(folder.name, name, len(out), errors.splitlines()[-1][:100] if "exit" in errors else "", flush=True)

    for name, text in COMMANDS.items():
        record_output(f"command-{name}", *expand(text), "--format", "tsv")
    record_output("trec_eval", *expand("trec_eval -q -c -m all_trec QRELS FIRSTFILE"))
    figures = run("plot", "--list")[0].split("\n\n")[0].splitlines()
    for figure in sorted({line.split()[0] for line in figures if line.startswith("  ") and line[2] != " "}):
        arguments = {
            "balancing": "",
            "balancing-simulation": "--trials 200",
            "ideal-dcg": "QRELS",
            "judgments": "QRELS",
        }
        record_output(
            f"figure-{figure}", *expand(f"plot {figure} {arguments.get(figure, 'QRELS SOME')} -o - --format csv")
        )
    from assay.measures import catalogue

    examples = [example for cls in catalogue().values() for example in cls.examples]
    for policy, value in itertools.chain.from_iterable(((p, v) for v in values) for p, values in POLICIES.items()):
        record_output(
            f"measures-{policy}-{value}",
            *expand("eval QRELS SOME --per-topic --format tsv"),
            *measure_options(examples),
            f"--{policy}",
            value,
        )
    record_output("report", *expand("report QRELS SOME -m AP nDCG@10 -o report.html"))
    shutil.copy("report.html", folder / "report.html")


def measure_options(measures: list[str]) -> list[str]:
    return [word for measure in measures for word in ("-m", measure)]


def normalize_page(text: str) -> str:
    """Return the tags, attributes and words of a page, one per line, without white space."""
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: parts.append(f"<{tag} {sorted(attributes)}>")  # type: ignore[method-assign]
    parser.handle_endtag = lambda tag: parts.append(f"</{tag}>")  # type: ignore[method-assign]
    parser.handle_data = lambda data: parts.extend(data.split())  # type: ignore[method-assign]
    parser.feed(text)
    return "\n".join(parts)


def compare(first: Path, second: Path) -> int:
    """List the recordings whose output differs, and those in which only the notes differ."""
    names = sorted(
        {str(path.relative_to(root)) for root in (first, second) for path in root.rglob("*") if path.is_file()}
    )
    different, only_notes = [], []
    for name in names:
        texts = [(root / name).read_text() if (root / name).exists() else "" for root in (first, second)]
        if name.endswith(".html"):
            texts = [f"{normalize_page(text)}--\n" for text in texts]
        (before, notes_before), (after, notes_after) = (text.rpartition("--\n")[::2] for text in texts)
        different += [name] * (before != after)
        only_notes += [name] * (before == after and notes_before != notes_after)
    print("\n".join(f"{name}: the output differs" for name in different))
    print("\n".join(f"{name}: only the notes differ" for name in only_notes))
    print(f"{len(names) - len(different)} of {len(names)} recordings have the same output")
    return int(bool(different))


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(Path(sys.argv[2]).resolve())
    else:
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
