"""Check the packages in dist/ (``make dist``), and install them into clean environments (``make smoke``).

``contents`` compares the files of the wheel and of the sdist with the files of the repository. ``newest`` and
``oldest`` install the wheel without the repository, with the newest and with the oldest supported dependencies. They
then run ``assay demo``, ``assay report`` and ``assay explore`` in an empty directory. A tag such as ``v0.1.0`` checks
that the package, the citation and the changelog have its version.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path
from urllib.request import urlopen

from floors import floors

ROOT = Path(__file__).parent.parent
NOT_IN_SDIST = (".ci/", ".gitignore", ".dockerignore", ".pre-commit")  # only for work on the repository
MODULES = "assay.measures assay.significance assay.meta assay.theory assay.effort assay.uncertainty assay.distance"


def find_package(pattern: str, folder: Path = ROOT / "dist") -> Path:
    """Return the only package in *folder* whose name matches."""
    packages = list(folder.glob(pattern))
    if len(packages) != 1:
        raise SystemExit(f"{folder}: expected one file {pattern}, found {len(packages)}; run make dist")
    return packages[0]


def compare_contents() -> list[str]:
    """Return the differences between the packages and the files that git tracks."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    tracked = {name for name in listed.split("\0") if name and (ROOT / name).exists()}
    with zipfile.ZipFile(find_package("*.whl")) as wheel:
        in_wheel = {name for name in wheel.namelist() if ".dist-info/" not in name}
    with tarfile.open(find_package("*.tar.gz")) as sdist:
        in_sdist = {file.name.partition("/")[2] for file in sdist.getmembers() if file.isfile()}
    source = {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    expected = {name for name in tracked if not name.startswith(NOT_IN_SDIST)}
    in_sdist = {name for name in in_sdist if ".egg-info/" not in name and name not in ("PKG-INFO", "setup.cfg")}
    pairs = (("wheel", source, in_wheel), ("sdist", expected, in_sdist))
    return [
        *(f"{package} lacks {name}" for package, files, contents in pairs for name in sorted(files - contents)),
        *(f"{package} has {name}" for package, files, contents in pairs for name in sorted(contents - files)),
    ]


def check_version(tag: str) -> list[str]:
    """Return the files that do not name the version of a tag such as v0.1.0."""
    version = tag.removeprefix("v")
    required = {
        "src/assay/_version.py": f'VERSION = "{version}"\n',
        "CITATION.cff": f"\nversion: {version}\n",
        "CHANGELOG.md": f"\n## {version} (",
    }
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in required}
    return [f"{name} lacks {text.strip()}" for name, text in required.items() if text not in texts[name]]


def install(folder: Path, *, oldest: bool) -> Path:
    """Install the wheel with all figures and the explorer into a new environment; return the folder of its scripts."""
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(floors()) if oldest else "", encoding="utf-8")
    requirement = f"{find_package('*.whl')}[explore]"
    command = [scripts / "python", "-m", "pip", "install", "--quiet", "--constraint", constraints, requirement]
    subprocess.run(command, check=True)
    return scripts


def run_commands(scripts: Path, folder: Path) -> None:
    """Run the commands that need templates, styles, scripts and stubs, as a new user would."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    modules = ", ".join(MODULES.split())
    names = f"import assay, {modules}; [getattr(module, name) for module in (assay, {modules}) for name in dir(module)]"
    for command in (
        [scripts / "python", "-c", names],
        [scripts / "assay", "demo", "demo"],
        [scripts / "assay", "report", "demo/qrels.txt", "demo/runs", "-o", "report.html"],
    ):
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    if (folder / "report.html").stat().st_size < 100_000:
        raise SystemExit("report.html is too small")
    explore = [scripts / "assay", "explore", "demo/qrels.txt", "demo/runs", "--port", "0"]
    with subprocess.Popen(explore, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(filter(None, (re.search(r"http://\S+/", line) for line in process.stdout)))[0]
            page = urlopen(address, timeout=60).read().decode()
            parts = re.findall(r'(?:src|href)="/?(static/[^"]+)"', page)
            if not parts:
                raise SystemExit("the explorer has no styles")
            for part in ("api/campaign", *parts):
                urlopen(address + part, timeout=60).close()
        finally:
            process.kill()


def main(arguments: list[str]) -> None:
    for argument in arguments:
        if argument == "contents" or re.fullmatch(r"v[\d.]+\w*", argument):
            differences = compare_contents() if argument == "contents" else check_version(argument)
            if differences:
                raise SystemExit("\n".join(differences))
            continue
        if argument not in ("newest", "oldest"):
            raise SystemExit(f"{argument}: choose contents, newest, oldest or a tag such as v0.1.0")
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            scripts = install(Path(folder) / "environment", oldest=argument == "oldest")
            empty = Path(folder) / "empty"
            empty.mkdir()
            run_commands(scripts, empty)
        print(f"{argument} dependencies: demo, report and explorer work from the wheel")


if __name__ == "__main__":
    main(sys.argv[1:])
