"""What `templates show` puts into a prompt: evidence, unit and question, by frame and language."""

from __future__ import annotations

from typing import NamedTuple

from metajudge.templates.frame import FrameName


class Sample(NamedTuple):
    """One unit, what it is judged against, and the question of the user."""

    context: str
    claim: str
    question: str


_HOURS = (
    "The museum is open from Tuesday to Sunday, 10 am to 6 pm. Admission is free on the first "
    "Sunday of each month."
)
_HOURS_ZH = "博物馆周二至周日10时至18时开放，每月第一个周日免费入场。"
_ASKED, _ASKED_ZH = "When is the museum open?", "博物馆什么时候开放？"
_BOTH, _BOTH_ZH = (
    "When is the museum open, and what does it cost?",
    "博物馆什么时候开放，门票多少钱？",
)
_TURNS = (
    "User: Reserve two tickets to the museum for Sunday.\n"
    'Call: reserve(place="museum", day="Sunday", tickets=2)\nResult: reserved, number 41\n'
    "Agent: Two tickets are reserved for Sunday."
)
_TURNS_ZH = (
    "用户：帮我预约周日的两张博物馆门票。\n"
    'Call: reserve(place="博物馆", day="周日", tickets=2)\nResult: 已预约，编号41\n'
    "智能体：周日的两张门票已预约。"
)
SAMPLES: dict[FrameName, dict[str, Sample]] = {
    "claim": {
        "en": Sample(_HOURS, "The museum is closed on Mondays.", _ASKED),
        "zh": Sample(_HOURS_ZH, "博物馆每周一闭馆。", _ASKED_ZH),
    },
    "sentence": {
        "en": Sample(_HOURS, "It opens at 10 am, and parking is free.", _ASKED),
        "zh": Sample(_HOURS_ZH, "博物馆10时开门，停车免费。", _ASKED_ZH),
    },
    "passage": {
        "en": Sample(_HOURS, _ASKED, _ASKED),
        "zh": Sample(_HOURS_ZH, _ASKED_ZH, _ASKED_ZH),
    },
    "entity": {
        "en": Sample(_HOURS, "the first Sunday of the month", _ASKED),
        "zh": Sample(_HOURS_ZH, "每月首个周日", _ASKED_ZH),
    },
    "aspect": {
        "en": Sample("It is open from Tuesday to Sunday.", "what admission costs", _BOTH),
        "zh": Sample("博物馆周二至周日开放。", "门票价格", _BOTH_ZH),
    },
    "redundancy": {
        "en": Sample(_ASKED, "Museums have a long history.", _ASKED),
        "zh": Sample(_ASKED_ZH, "博物馆的历史十分悠久。", _ASKED_ZH),
    },
    "reference": {
        "en": Sample(_HOURS, "The museum opens at ten in the morning.", _ASKED),
        "zh": Sample(_HOURS_ZH, "博物馆上午十点开门。", _ASKED_ZH),
    },
    "goal": {
        "en": Sample(_TURNS, "Two tickets for Sunday are reserved.", "Reserve two tickets."),
        "zh": Sample(_TURNS_ZH, "预约到周日的两张门票。", "帮我预约两张门票。"),
    },
}


def sample_of(frame: FrameName, language: str) -> Sample:
    """The sample of a frame; in English where the language has none.

    >>> sample_of("passage", "en").claim
    'When is the museum open?'
    """
    spoken = SAMPLES[frame]
    return spoken.get(language, spoken["en"])
