"""Start a Spark session that runs assay, and report errors of executors in one line."""

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
_ENCODED_ERROR = re.compile(r"assay-error: ([\w+/=]+)")


def session(
    master: str | None = None, *, log: str | Path | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """Return the active session, or start one on *master* (default ``local[*]``) with *settings*.

    Masters on this machine (``local[…]``, ``local-cluster[…]``) use only the loopback interface and start no web
    interface. Executors run the Python interpreter of this process. With *log*, the messages of Spark go to this file
    instead of standard error.

    Raises
    ------
    DependencyError
        If pyspark or Java is missing.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    require_java()
    master = master or "local[*]"
    builder: Any = SparkSession.builder.master(master).appName("assay")
    for name, value in {**_default_settings(master), **(settings or {})}.items():
        builder = builder.config(name, value)
    with _set_environment(master), _redirect_stderr(log), ignore_warnings():
        try:
            spark: SparkSession = builder.getOrCreate()
        except Exception as error:  # the errors of an unusable master have no common type
            raise InputError(f"master {master}: no Spark session ({_shorten_error(error)})") from error
    return spark


def require_pyspark() -> None:
    """Raise an error if pyspark or a package that it needs to exchange tables with Python is missing."""
    for package in ("pyspark", "pandas", "pyarrow"):
        try:
            with ignore_warnings():
                __import__(package)
        except ImportError:
            raise DependencyError(NO_PYSPARK) from None


def require_java() -> None:
    """Raise an error if Java is missing; Spark itself would only report that its gateway exited."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home) / "bin") if home else None) is None:
        raise DependencyError(NO_JAVA)


def _default_settings(master: str) -> dict[str, str]:
    """Return the default settings of a new session."""
    settings = {
        "spark.ui.showConsoleProgress": "false",
        "spark.executorEnv.PYSPARK_PYTHON": sys.executable,
        "spark.executorEnv.PYTHONSAFEPATH": "1",
    }
    if "SPARK_DRIVER_MEMORY" not in os.environ:
        # Judgments in files pass through the driver, where they need several times their size.
        settings["spark.driver.memory"] = "2g"
    if not master.startswith("local"):
        return settings
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return {**settings, **loopback, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8"}


@contextmanager
def _set_environment(master: str) -> Iterator[None]:
    """Set the environment variables that the gateway of Spark reads when it starts."""
    # Workers start with python -m, which imports from the current directory first unless PYTHONSAFEPATH is set: a
    # data file such as random.py would shadow a module.
    variables = {"PYSPARK_PYTHON": sys.executable, "PYTHONSAFEPATH": "1"}
    if master.startswith("local"):
        variables["SPARK_LOCAL_IP"] = "127.0.0.1"
    if master.startswith("local-cluster") and "SPARK_HOME" not in os.environ:
        variables["SPARK_HOME"] = _create_home()
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in previous.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _redirect_stderr(log: str | Path | None) -> Iterator[None]:
    """Redirect standard error to a file while the gateway starts; the gateway inherits the file and keeps it open."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    stderr, file = os.dup(2), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(file)


def _create_home() -> str:
    """Create a Spark home with links to the installed files; the workers of a local cluster write into it.

    Without it, they would write into the directory of the installed package.
    """
    import pyspark

    home = tempfile.mkdtemp(prefix="assay-spark-")
    for entry in Path(pyspark.__file__).parent.iterdir():
        if entry.name != "work":
            (Path(home) / entry.name).symlink_to(entry)
    _HOMES.append(home)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@contextmanager
def temporary_session(master: str | None) -> Iterator[SparkSession]:
    """Yield the active session, or a new one that logs to a file and is stopped at the end."""
    require_pyspark()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    with _temporary_log() as log:
        spark = session(master, log=log)
        try:
            yield spark
        finally:
            spark.stop()
            for home in _HOMES:
                shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _temporary_log() -> Iterator[str]:
    """Yield the path of a log file for Spark; it is deleted at the end, unless Spark fails."""
    handle, path = tempfile.mkstemp(prefix="assay-spark-", suffix=".log")
    os.close(handle)
    _LOGS.append(path)
    failed = False
    try:
        yield path
    except SparkError:
        failed = True  # the message refers the user to the file
        raise
    finally:
        _LOGS.remove(path)
        if not failed:
            Path(path).unlink(missing_ok=True)


@contextmanager
def ignore_warnings() -> Iterator[None]:
    """Ignore warnings of pyspark about versions of pandas, which do not concern this package."""
    with warnings.catch_warnings():
        for category in (FutureWarning, DeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        yield


def parallelism(spark: SparkSession) -> int:
    """Return the number of concurrent tasks; with Spark Connect, the number of shuffle partitions."""
    from pyspark.errors import PySparkException

    try:
        return int(spark.sparkContext.defaultParallelism)
    except (PySparkException, AttributeError):  # a Spark Connect session has no context
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 200)


_HOMES: list[str] = []
_LOGS: list[str] = []  # log files of running sessions


class SparkError(AssayError):
    """An error of Spark that is not an error of assay, such as a lost cluster."""


class TaskError(RuntimeError):
    """An error of assay in an executor, encoded in one line that the driver can find in a Java traceback."""


def wrap_errors(work: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Return *work* as a task of an executor that encodes its errors, so that the driver can recognize them."""

    def task(batches: Any) -> Iterator[Any]:
        try:
            yield from work(batches)
        except AssayError as error:
            content = json.dumps({"kind": type(error).__name__, "message": str(error)}).encode()
            # Spark quotes tracebacks in its own messages and escapes some characters. Base64 text remains unchanged.
            raise TaskError(f"{error} (assay-error: {b64encode(content).decode()})") from None

    return task


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Raise errors of Spark with a message of one line.

    An error that assay raised in an executor is raised again with its type; every other error becomes a SparkError.

    ::

        with assay.spark.one_line_errors():
            results.frame.write.parquet("values.parquet")
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with ignore_warnings():
            yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        match = _ENCODED_ERROR.search(str(error))
        if match is None:
            hint = f"see its log {_LOGS[-1]}" if _LOGS else "see its log"
            raise SparkError(f"Spark failed ({_find_cause(str(error))}); {hint}") from error
        content = json.loads(b64decode(match.group(1)))
        raise getattr(errors, content["kind"])(content["message"]) from None


def _shorten_error(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _find_cause(text: str) -> str:
    r"""Return the innermost cause with a message in the text of a Java error; its last line if there is no such cause.

    >>> _find_cause("failed\n\tat org.A\nCaused by: java.io.IOException: no space\nCaused by: java.io.EOFException\n")
    'java.io.IOException: no space'
    """
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    messages = [line for line in lines if not line.startswith(("at ", "An error occurred while calling"))]
    causes = [line.removeprefix("Caused by: ") for line in messages if line.startswith("Caused by: ")]
    candidates = [cause for cause in causes if ": " in cause] or messages or ["no reason given"]
    innermost = candidates[-1]
    # The enclosing cause may repeat the message and add the action that failed: Cannot run program "python": error=2,
    # No such file. Then the enclosing cause is more informative.
    is_repeated = len(candidates) > 1 and candidates[-2].endswith(innermost.partition(": ")[2])
    cause = candidates[-2] if is_repeated else innermost
    return shorten(" ".join(cause.split()), 300)
