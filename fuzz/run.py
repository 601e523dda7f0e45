"""Run each fuzzer for some seconds (``make fuzz``): ``python fuzz/run.py SECONDS [NAME ...]``.

The targets of ``targets.py`` are fuzzed with coverage guidance if atheris is installed, otherwise with random changes
of their seeds. The checks of ``differential.py`` compare implementations on random collections. A failure prints the
input or the seed; ``python fuzz/run.py NAME FILE`` and ``python fuzz/run.py NAME SEED`` repeat it. The exit code is 1
after a failure.
"""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from differential import CHECKS
from targets import FOLDER, SEEDS, TARGETS

HERE = Path(__file__).parent
FOUND = HERE / "found"


def change(data: bytes, generator: random.Random) -> bytes:
    """Return *data* after a few random changes: bytes replaced, removed, repeated or inserted."""
    text = bytearray(data)
    for _ in range(generator.randint(1, 6)):
        at = generator.randint(0, len(text))
        span = generator.randint(0, 4)
        kind = generator.randrange(4)
        if kind == 0:
            text[at : at + span] = generator.randbytes(span)
        elif kind == 1:
            del text[at : at + span]
        elif kind == 2:
            text[at:at] = text[at : at + 8 * span] * generator.randint(1, 3)
        else:
            text[at:at] = generator.choice(
                [b"\n", b"\r", b"\x00", b"\xff", b'"', b"nan", b"1e999", b"-", b"\t", b",", b"{"]
            )
    return bytes(text)


def fuzz_randomly(name: str, seconds: float) -> None:
    """Call a target with changed seeds."""
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        generator = random.Random(number)
        data = change(generator.choice(SEEDS[name]), generator)
        try:
            TARGETS[name](data)
        except BaseException:
            FOUND.mkdir(exist_ok=True)
            (FOUND / f"{name}-{number}").write_bytes(data)
            print(f"{name}: input {FOUND / f'{name}-{number}'}: {data!r}")
            raise
        number += 1
    print(f"{name}: {number} inputs")


def fuzz_with_coverage(name: str, seconds: float) -> None:
    """Call a target with inputs that reach new branches of assay; atheris ends the process."""
    import atheris

    corpus = FOLDER / f"corpus-{name}"
    corpus.mkdir()
    for module in [module for module in sys.modules if module.partition(".")[0] == "assay"]:
        del sys.modules[module]
    # Modules are imported on first use, so run the seeds while imports are instrumented.
    with atheris.instrument_imports(include=["assay"], enable_loader_override=False):
        spec = importlib.util.spec_from_file_location("instrumented_targets", HERE / "targets.py")
        assert spec is not None
        assert spec.loader is not None
        targets = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(targets)
        for number, data in enumerate(targets.SEEDS[name]):
            (corpus / str(number)).write_bytes(data)
            targets.TARGETS[name](data)
    FOUND.mkdir(exist_ok=True)
    options = [f"-max_total_time={seconds:.0f}", "-max_len=4096", "-timeout=20", f"-artifact_prefix={FOUND}/{name}-"]
    atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", "-verbosity=0", str(corpus)], targets.TARGETS[name])
    atheris.Fuzz()


def compare_implementations(name: str, seconds: float) -> None:
    """Run a differential check with the seeds 0, 1, 2 and so on."""
    end = time.monotonic() + seconds
    seed = 0
    while time.monotonic() < end:
        try:
            CHECKS[name](random.Random(seed))
        except BaseException:
            print(f"{name}: seed {seed}")
            raise
        seed += 1
    print(f"{name}: {seed} seeds")


def fuzz(name: str, seconds: float) -> None:
    if name in CHECKS:
        compare_implementations(name, seconds)
    elif importlib.util.find_spec("atheris") is None:
        fuzz_randomly(name, seconds)
    else:
        fuzz_with_coverage(name, seconds)


def repeat(name: str, place: str) -> None:
    """Repeat a failure: the input in a file, or the seed of a differential check."""
    if name in CHECKS:
        CHECKS[name](random.Random(int(place)))
    else:
        TARGETS[name](Path(place).read_bytes())


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in {*TARGETS, *CHECKS}:
        repeat(*arguments)
        return 0
    if arguments and arguments[0] == "--one":
        fuzz(arguments[1], float(arguments[2]))
        return 0
    seconds, *names = arguments or ["60"]
    failed = []
    for name in names or [*TARGETS, *CHECKS]:
        print(f"== {name}", flush=True)
        command = [sys.executable, str(HERE / "run.py"), "--one", name, seconds]
        with tempfile.TemporaryFile() as log:
            process = subprocess.run(command, check=False, stdout=log, stderr=subprocess.STDOUT)
            log.seek(0)
            print(log.read().decode(errors="replace")[-3000:])
        failed += [name] * (process.returncode != 0)
    print(f"failed: {', '.join(failed)}" if failed else "no failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
