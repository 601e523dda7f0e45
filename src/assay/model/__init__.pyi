from .judged import Judged as Judged
from .policies import Policies as Policies
from .provenance import Provenance as Provenance
from .qrels import Qrels as Qrels
from .qrels import read_qrels as read_qrels
from .run import Run as Run
from .run import read_run as read_run
from .run import read_runs as read_runs
