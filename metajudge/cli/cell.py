"""A cell of a table on the terminal whose Chinese breaks as running text does."""

from __future__ import annotations

from rich.console import Console, JustifyMethod, OverflowMethod
from rich.containers import Lines
from rich.text import Text

from metajudge.report.guideline_text import wrapped_cells


class Cell(Text):
    """Plain text; Rich alone would break Chinese before a closing mark."""

    def wrap(
        self,
        console: Console,
        width: int,
        *,
        justify: JustifyMethod | None = None,
        overflow: OverflowMethod | None = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        """Lines of at most `width` columns."""
        if no_wrap or self.cell_len <= width or self.cell_len == len(self.plain):
            return super().wrap(
                console,
                width,
                justify=justify,
                overflow=overflow,
                tab_size=tab_size,
                no_wrap=no_wrap,
            )
        return Lines(Text(line) for line in wrapped_cells(self.plain, width, cut=True))
