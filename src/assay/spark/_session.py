"""A Spark session that runs assay, and errors of executors as the one line that they say."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import errors
from assay.errors import AssayError, DependencyError, InputError
from assay.io.problems import shorten

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_PYSPARK = "Spark needs the package pyspark; install assay-ir[spark]"
NO_JAVA = "Spark needs Java 17; install openjdk-17-jre-headless or set JAVA_HOME"
_MARK = re.compile(r"assay-error: ([\w+/=]+)")


def session(
    master: str | None = None, *, log: str | Path | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """The session that there is, or a new one on *master* (default ``local[*]``) with *settings*.

    Masters on this machine (``local[…]``, ``local-cluster[…]``) use the loopback interface only and show no web
    pages. The Python of this process runs in executors. What Spark says goes to the file *log* rather than to standard
    error.

    Raises
    ------
    DependencyError
        If pyspark or Java is missing.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    require_java()
    chosen = master or "local[*]"
    builder: Any = SparkSession.builder.master(chosen).appName("assay")
    for name, value in {**_defaults(chosen), **(settings or {})}.items():
        builder = builder.config(name, value)
    with _environment(chosen), _said_to(log), ignore_warnings():
        try:
            made: SparkSession = builder.getOrCreate()
        except Exception as error:  # what a master that cannot be used raises has no type of its own
            raise InputError(f"master {chosen}: no Spark session ({_reason(error)})") from error
    return made


def require_pyspark() -> None:
    """Refuse to go on without pyspark and what it needs to pass tables to Python."""
    for package in ("pyspark", "pandas", "pyarrow"):
        try:
            with ignore_warnings():
                __import__(package)
        except ImportError:
            raise DependencyError(NO_PYSPARK) from None


def require_java() -> None:
    """Refuse to go on without Java; Spark itself would only say that its gateway is gone."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home) / "bin")) is None if home else shutil.which("java") is None:
        raise DependencyError(NO_JAVA)


def _defaults(master: str) -> dict[str, str]:
    shown = {
        "spark.ui.showConsoleProgress": "false",
        "spark.executorEnv.PYSPARK_PYTHON": sys.executable,
        "spark.executorEnv.PYTHONSAFEPATH": "1",
    }
    if "SPARK_DRIVER_MEMORY" not in os.environ:
        # Judgments in files pass through the driver, where they take several times their size.
        shown["spark.driver.memory"] = "2g"
    if not master.startswith("local"):
        return shown
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return {**shown, **loopback, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8"}


@contextmanager
def _environment(master: str) -> Iterator[None]:
    """What the gateway of Spark reads when it starts; some of it is asked for as long as it runs."""
    # Workers start as python -m, which would import from the current directory first: a folder of data is not code.
    wanted = {"PYSPARK_PYTHON": sys.executable, "PYTHONSAFEPATH": "1"}
    if master.startswith("local"):
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"
    if master.startswith("local-cluster") and "SPARK_HOME" not in os.environ:
        wanted["SPARK_HOME"] = _home()
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _said_to(log: str | Path | None) -> Iterator[None]:
    """Standard error is a file while the gateway starts, which keeps it as long as it runs."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    before, file = os.dup(2), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(file)


def _home() -> str:
    """A home for workers of a cluster on this machine: they write there, and not where packages are installed."""
    import pyspark

    home = tempfile.mkdtemp(prefix="assay-spark-")
    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (Path(home) / part.name).symlink_to(part)
    _HOMES.append(home)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@contextmanager
def temporary_session(master: str | None) -> Iterator[SparkSession]:
    """A session for one piece of work, silent and ended with it; one that was there before is used and stays."""
    require_pyspark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    with _log() as log:
        spark = session(master, log=log)
        try:
            yield spark
        finally:
            spark.stop()
            for home in _HOMES:
                shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _log() -> Iterator[str]:
    """A file for what Spark says, which stays there if Spark fails."""
    handle, path = tempfile.mkstemp(prefix="assay-spark-", suffix=".log")
    os.close(handle)
    _LOGS.append(path)
    try:
        yield path
    except SparkError:
        raise  # it tells the user to look into the file
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
    else:
        Path(path).unlink(missing_ok=True)
    finally:
        _LOGS.remove(path)


@contextmanager
def ignore_warnings() -> Iterator[None]:
    """Without what pyspark says about versions of pandas, of which nothing is used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def parallelism(spark: SparkSession) -> int:
    """How many tasks run at once, or what the session takes for it."""
    from pyspark.errors import PySparkException

    try:
        return int(spark.sparkContext.defaultParallelism)
    except (PySparkException, AttributeError):  # a session of Spark Connect has no context
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 200)


_HOMES: list[str] = []
_LOGS: list[str] = []  # of sessions that are running


class SparkError(AssayError):
    """A job that Spark could not finish."""


class TaskError(RuntimeError):
    """An error of assay on its way from an executor to the driver, as one line that can be found in a traceback."""


def wrap_errors(work: Callable[[Any], Iterator[Any]], batches: Any) -> Iterator[Any]:
    """What *work* gives in an executor; its errors leave it so that the driver can tell them from those of Spark."""
    try:
        yield from work(batches)
    except AssayError as error:
        said = json.dumps({"kind": type(error).__name__, "message": str(error)}).encode()
        # Spark writes tracebacks into its own messages, with quotes of its own: letters and digits stay as they are.
        raise TaskError(f"{error} (assay-error: {b64encode(said).decode()})") from None


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Raise errors of Spark as one line: what assay met in an executor as it was, all else as a SparkError.

    ::

        with assay.spark.one_line_errors():
            found.frame.write.parquet("values.parquet")
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with ignore_warnings():
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        found = _MARK.search(str(error))
        if found is None:
            where = f"its log is {_LOGS[-1]}" if _LOGS else "its log tells more"
            raise SparkError(f"Spark failed ({_cause(str(error))}); {where}") from error
        said = json.loads(b64decode(found.group(1)))
        raise getattr(errors, said["kind"])(said["message"]) from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _cause(text: str) -> str:
    r"""Return the innermost cause in the text of a Java error that says something, else its first line.

    >>> _cause("failed\n\tat org.A\nCaused by: java.io.IOException: no space\nCaused by: java.io.EOFException\n")
    'java.io.IOException: no space'
    """
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("at ", "An error occurred while calling"))]
    causes = [line.removeprefix("Caused by: ") for line in said if line.startswith("Caused by: ")]
    telling = [cause for cause in causes if ": " in cause] or said or ["no reason given"]
    inner = telling[-1]
    # What could not be done stands one step further out: Cannot run program "python": error=2, No such file.
    outer = telling[-2] if len(telling) > 1 and telling[-2].endswith(inner.partition(": ")[2]) else inner
    return shorten(" ".join(outer.split()), 300)
