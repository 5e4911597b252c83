import pytest

from metajudge.errors import GoldError
from metajudge.gold.named_modules import named_module

MODULES = {"the-split": "split", "the-claim": "claim"}


def test_a_name_gives_its_module() -> None:
    module = named_module("the-split", MODULES, "metajudge.gold", "--from", "format")
    assert module.__name__ == "metajudge.gold.split"


def test_another_name_is_a_fault_that_suggests_one() -> None:
    with pytest.raises(GoldError) as caught:
        named_module("the-splot", MODULES, "metajudge.gold", "--as", "form")
    (fault,) = caught.value.problems
    assert (fault.where, fault.law, fault.got) == ("--as", "there is no such form", "'the-splot'")
    assert fault.mend == "Did you mean 'the-split'?"
