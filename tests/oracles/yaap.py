"""Average precision as log-odds (Robertson, ECIR 2012)."""

import math

from oracles.ap import sp
from oracles.precision import recall_base


def yaap(ranking, judged, rel=1):
    """yaAP = ln((1 + s) / (1 + R - s)), where s is the sum of the precisions at the relevant documents."""
    total = sp(ranking, judged, None, rel)
    return math.log((1 + total) / (1 + recall_base(judged, rel) - total))
