from __future__ import annotations

import numpy as np

from metajudge.agreement.speed import Speed, speeds


def test_seconds_of_each_annotator_and_what_is_missing():
    seconds = np.array([[1.0, 2.0, 3.0, 4.0], [np.nan] * 4])
    found = speeds(seconds, [2.0, 2.0, 2.0, 5.0])
    assert found[0] == Speed(4, 2.5, 1.75, 3.25, 0.5)
    assert found[1] == Speed(0, None, None, None, None)
