"""A spreadsheet as a team may have it: 200 rows, odd headings, three annotators, two languages."""

from __future__ import annotations

from pathlib import Path

from tests.gold.writing import csv_text

HEADINGS = (
    *("No.", "Statement to check*", "Source passage\n(verbatim)", "Anna", "Bo", "标注员丙"),
    "Remarks / 备注",
)
ROWS = 200
ENGLISH = ("Supported", "Contradicted", "Not mentioned")
CHINESE = ("支持", "矛盾", "未提及")
_THINGS = (
    ("library", "books", "lends", "图书馆", "册书", "借出"),
    ("boat club", "kayaks", "rents out", "划船社", "条皮划艇", "出租"),
    ("workshop", "lathes", "keeps", "木工坊", "台车床", "备有"),
    ("orchard", "apple trees", "tends", "果园", "棵苹果树", "照料"),
    ("bakery", "loaves", "bakes", "面包房", "个面包", "烤制"),
    ("museum", "maps", "shows", "博物馆", "幅地图", "展出"),
    ("kennel", "dogs", "boards", "寄养所", "只狗", "寄养"),
)
_PLACES = (
    *("Aldmoor", "Brenwick", "Carrow", "Dunfell", "Elmsea", "Farholt", "Glenby", "Harrowick"),
    *("Inverlee", "Jesmond", "Kirkby"),
)
_ZH_PLACES = (
    *("临河", "东垣", "南坪", "青泥", "石桥", "柳湾", "望江", "梅岭", "白塔", "双溪", "沙洲"),
)


def _english(n: int) -> tuple[str, list[str]]:
    """A passage of a made-up place, and a claim that it supports, contradicts, does not give."""
    what, things, does = _THINGS[n % 7][:3]
    name, opens, count = f"{_PLACES[n % 11]} {what}", 6 + n % 5, 11 + 3 * n
    passage = (
        f'Welcome to the {name}! It {does} {count} {things} a year, "old" ones included.\n'
        f"Doors open at {opens}; whoever comes after {opens + 9} finds them shut."
    )
    return passage, [
        f"In a year the {name} {does} {count} {things}, old ones among them.",
        f"One can enter the {name} from {opens + 3} on, no earlier.",
        f"The {name} was founded in {1890 + n}.",
    ]


def _chinese(n: int) -> tuple[str, list[str]]:
    what, things, does = _THINGS[n % 7][3:]
    name, opens, count = f"{_ZH_PLACES[n % 11]}{what}", 6 + n % 5, 11 + 3 * n
    passage = (
        f"欢迎来到{name}！这里每年{does}{count}{things}，“旧”的也算在内。\n"
        f"{opens}点开门，{opens + 9}点以后就进不去了。"
    )
    return passage, [
        f"{name}一年{does}{count}{things}，旧的也包括在内。",
        f"{name}要到{opens + 3}点才能进。",
        f"{name}建于{1890 + n}年。",
    ]


def _row(n: int) -> list[object]:
    number, kind = divmod(n, 3)
    passage, claims = (_chinese if number % 2 else _english)(number)
    words = CHINESE if number % 2 else ENGLISH
    other = CHINESE[kind]
    anna, bo, third = words[kind], words[kind].lower(), other
    if n % 11 == 5:
        bo = words[(kind + 1) % 3]
    if n % 17 == 3:
        third = ""
    return [
        n + 1,
        claims[kind],
        passage,
        anna,
        f" {bo} ",
        third,
        "see above" if n % 29 == 0 else "",
    ]


def rows() -> list[list[object]]:
    """The rows, some of which are faulty: see `FAULTS`."""
    made = [_row(n) for n in range(ROWS)]
    made[20][1] = "#REF!"
    made[40][2] = ""
    made[60][3:6] = ["Supported", "Contradicted", ""]
    made[80][3:6] = ["", "", ""]
    made[100][4] = "hmm"
    made[120][5] = "=D120"
    made[140] = list(made[139])
    return made


FAULTS = {"missing_text": 1, "missing_context": 1, "unknown_label": 2, "duplicate": 1}
WAITING = {"tied": 1, "unlabelled": 1}


def write(path: Path, encoding: str = "utf-8-sig") -> Path:
    """The sheet as spreadsheet programs of some countries export it: semicolons, CRLF, a mark."""
    titles = [["Faithfulness check, second round", *[""] * 6], [""] * 7]
    text = csv_text([*titles, HEADINGS, *rows(), [""] * 7], separator=";")
    path.write_bytes(text.encode(encoding))
    return path
