import pytest

from metajudge.errors import JudgeSpecError
from metajudge.judges.options import JudgeOptions


def test_all_faults_are_named_at_once():
    with pytest.raises(JudgeSpecError) as caught:
        JudgeOptions(temperature=-1, timeout_s=0, context_tokens=1, threads=0, api_base="localhost")
    assert [p.field for p in caught.value.problems] == [
        "temperature",
        "timeout_s",
        "context_tokens",
        "threads",
        "api_base",
    ]


@pytest.mark.parametrize("base", ["http://u:s3cret@host/v1", "http://host/v1?key=s3cret"])
def test_b122_an_address_with_a_secret_is_refused_and_not_repeated(base):
    with pytest.raises(JudgeSpecError) as caught:
        JudgeOptions(api_base=base)
    assert "s3cret" not in str(caught.value)
