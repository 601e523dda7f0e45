from ._agree import agree as agree
from ._combine import CombinedEstimates as CombinedEstimates
from ._combine import combine as combine
from ._effect import effect as effect
from .agreement import JudgeAgreement as JudgeAgreement
from .effects import Effects as Effects
from .ratings import read_judges as read_judges
