"""Numbers as people read them: two decimals, intervals in brackets, undefined as a dash."""

from __future__ import annotations

from metajudge.report.part import Figure

UNDEFINED = "–"


def compact(value: float | None, decimals: int = 2) -> str:
    """A share or coefficient without the leading zero; 1 is `1.0`, so that columns stay narrow.

    >>> compact(0.314), compact(-0.05), compact(1.0), compact(-0.0), compact(None)
    ('.31', '-.05', '1.0', '.00', '–')
    """
    if value is None:
        return UNDEFINED
    near = round(value, decimals)
    if abs(near) >= 1:
        return f"{near:.1f}" if abs(near) == 1 else f"{near:.{decimals}f}"
    return f"{near if near else 0.0:.{decimals}f}".replace("0.", ".", 1)


def signed(value: float | None) -> str:
    """A difference with its sign.

    >>> signed(0.07), signed(-0.2), signed(0.0), signed(None)
    ('+.07', '-.20', '.00', '–')
    """
    text = compact(value)
    return text if value is None else _plus(text)


def _plus(text: str) -> str:
    return text if text.startswith("-") or text == ".00" else f"+{text}"


def brackets(figure: Figure, *, sign: bool = False) -> str:
    """The interval alone, `[.22 .40]`; "" where there is none.

    >>> brackets(Figure(value=0.3, low=0.2, high=0.4, n=9))
    '[.20 .40]'
    """
    if figure.value is None or figure.low is None or figure.high is None:
        return ""
    form = signed if sign else compact
    return f"[{form(figure.low)} {form(figure.high)}]"


def with_interval(figure: Figure, *, sign: bool = False) -> str:
    """A figure with its interval.

    >>> with_interval(Figure(value=0.314, low=0.222, high=0.404, n=90))
    '.31 [.22 .40]'
    >>> with_interval(Figure(value=None, n=0, reason="no claims"))
    '–'
    """
    form = signed if sign else compact
    return f"{form(figure.value)} {brackets(figure, sign=sign)}".rstrip()


def count(number: int | None) -> str:
    """A count with thousands separated.

    >>> count(12345), count(None)
    ('12,345', '–')
    """
    return UNDEFINED if number is None else f"{number:,}"


def amount(number: float | None, decimals: int = 2) -> str:
    """Seconds or USD.

    >>> amount(1234.5), amount(None)
    ('1,234.50', '–')
    """
    return UNDEFINED if number is None else f"{number:,.{decimals}f}"


def p_text(p: float | None) -> str:
    """A p-value to three decimals.

    >>> p_text(0.0312), p_text(0.0002), p_text(1.0), p_text(None)
    ('.031', '<.001', '1.0', '–')
    """
    if p is not None and p < 0.0005:
        return "<.001"
    return compact(p, 3)


def percent(share: float | None) -> str:
    """A share in whole percent.

    >>> percent(0.314), percent(0.002), percent(0.0), percent(None)
    ('31 %', '<1 %', '0 %', '–')
    """
    if share is None:
        return UNDEFINED
    return "<1 %" if 0 < share < 0.005 else f"{share:.0%}".replace("%", " %")
