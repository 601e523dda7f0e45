from ._against_gain import EffortGain as EffortGain
from ._against_gain import against_gain as against_gain
from ._curve import Curve as Curve
from ._curve import curve as curve
from ._indicators import EffortReport as EffortReport
from ._indicators import indicators as indicators
