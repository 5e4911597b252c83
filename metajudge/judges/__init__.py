"""Who answers: judge specs, transports, the local model, recordings and baselines."""

from metajudge.judges.download import pull
from metajudge.judges.judge import (
    Judge,
    JudgeCallError,
    Request,
    Subject,
    call_key,
)
from metajudge.judges.models import list_models, model_path, models_dir, verify
from metajudge.judges.options import JudgeOptions
from metajudge.judges.prices import price_of
from metajudge.judges.spec import FORMS, open_judge

__all__ = [
    "FORMS",
    "Judge",
    "JudgeCallError",
    "JudgeOptions",
    "Request",
    "Subject",
    "call_key",
    "list_models",
    "model_path",
    "models_dir",
    "open_judge",
    "price_of",
    "pull",
    "verify",
]
