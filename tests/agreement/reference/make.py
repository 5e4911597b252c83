"""Reference values of this folder, computed by other packages; no test runs this.

Each command needs an environment of its own, apart from the project's, since irrCAC pins an old
scipy:

    pip install irrCAC==0.4.4                                    python make.py irr
    pip install ppi-python==0.2.3                                python make.py ppi
    pip install statsmodels scikit-learn krippendorff pingouin   python make.py check

`irr` and `ppi` write `chance_corrected.json` and `ppi.json`; `check` computes the published worked
examples of the other files again and stops at the first that differs.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
WEIGHTS = {
    "unweighted": "identity",
    "linear": "linear",
    "quadratic": "quadratic",
    "ordinal": "ordinal",
}
SCALES = {"nominal": "identity", "interval": "quadratic"}


def read(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def write(name: str, content: dict[str, Any]) -> None:
    """Indented JSON with each list of numbers on one line."""
    text = json.dumps(content, indent=1)
    flat = re.sub(r"\[[^\[\]{}]+\]", lambda found: " ".join(found[0].split()), text)
    (HERE / name).write_text(flat.replace("[ ", "[").replace(" ]", "]") + "\n", encoding="utf-8")


def made_ratings() -> list[dict[str, Any]]:
    """Ratings drawn here: raters that agree in part, with and without gaps, even and skewed."""
    rng = np.random.default_rng(20250101)
    shapes = [
        ("complete", 3, 20, 3, 0.0, [0.45, 0.25, 0.3], 0.7),
        ("gaps", 4, 25, 3, 0.25, [0.45, 0.25, 0.3], 0.6),
        ("skewed", 2, 30, 3, 0.0, [0.9, 0.06, 0.04], 0.85),
        ("four labels, gaps", 5, 15, 4, 0.3, [0.25] * 4, 0.5),
    ]
    made = []
    for name, raters, units, labels, gaps, shares, right in shapes:
        truth = rng.choice(labels, units, p=shares)
        said = np.where(
            rng.random((raters, units)) < right, truth, rng.integers(0, labels, (raters, units))
        )
        said[0, :labels] = np.arange(labels)
        lost = rng.random((raters, units)) < gaps
        lost[0] = False
        said = np.where(lost, -1, said)
        made.append({"name": name, "labels": labels, "ratings": said.tolist()})
    return made


def irr() -> None:
    import pandas as pd
    from irrCAC import datasets, raw, table

    mark = f"irrCAC {version('irrCAC')}"
    cases = [{**case, "source": f"{mark} on ratings drawn by make.py"} for case in made_ratings()]
    for name, first in (("raw_4raters", 1), ("raw_5observers", 0)):
        frame = getattr(datasets, name)()
        codes = frame.to_numpy(float).T - first
        cases.append(
            {
                "name": name,
                "labels": int(np.nanmax(codes)) + 1,
                "ratings": np.where(np.isnan(codes), -1, codes).astype(int).tolist(),
                "source": f"{mark} on its own data set {name}, which is Gwet's (2014)",
            }
        )
    for case in cases:
        ratings = np.array(case["ratings"], float)
        frame = pd.DataFrame(np.where(ratings < 0, np.nan, ratings).T)
        categories = [float(label) for label in range(case["labels"])]

        def cac(weights: str, frame=frame, categories=categories) -> Any:
            return raw.CAC(frame, weights=weights, categories=categories, digits=15)

        case["gwet"] = {ours: value(cac(theirs).gwet()) for ours, theirs in WEIGHTS.items()}
        case["krippendorff"] = {
            ours: value(cac(theirs).krippendorff()) for ours, theirs in SCALES.items()
        }
        if (ratings >= 0).all():
            case["fleiss"] = value(cac("identity").fleiss())
    tables = []
    for name in ("table_cont3x3abstractors", "table_cont4x4diagnosis"):
        frame = getattr(datasets, name)()

        def cac(weights: str, frame=frame) -> Any:
            return table.CAC(frame, weights=weights, digits=15)

        tables.append(
            {
                "name": name,
                "source": f"{mark} on its own data set {name}",
                "table": frame.to_numpy(int).tolist(),
                "gwet": {ours: value(cac(theirs).gwet()) for ours, theirs in WEIGHTS.items()},
                "cohen": {ours: value(cac(theirs).cohen()) for ours, theirs in WEIGHTS.items()},
                "krippendorff": value(cac("identity").krippendorff()),
                "brennan_prediger": value(cac("identity").bp()),
            }
        )
    write("chance_corrected.json", {"raters": cases, "tables": tables})
    check_tables()


def check_tables() -> None:
    """The coefficients of `tables.json` that scikit-learn does not have."""
    import pandas as pd
    from irrCAC import table

    methods = {"cohen_kappa": "cohen", "gwet_ac1": "gwet", "brennan_prediger": "bp"}
    for case in read("tables.json"):
        frame = pd.DataFrame(np.array(case["table"])[:, :-1])
        for name, method in methods.items():
            if name in case["expected"]:
                found = value(getattr(table.CAC(frame, digits=15), method)())
                near(found, case["expected"][name], case["decimals"], f"{case['source']}: {name}")


def value(found: dict[str, Any]) -> float:
    return float(found["est"]["coefficient_value"])


def ppi() -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    rng = np.random.default_rng(20250102)
    cases = []
    for name, n, rest, right in (
        ("few labels, a good judge", 60, 600, 0.9),
        ("few labels, a poor judge", 60, 600, 0.6),
        ("as many of both", 200, 200, 0.8),
        ("many", 400, 4000, 0.8),
    ):
        truth = (rng.random(n) < 0.6).astype(int)
        near = np.where(rng.random(n) < right, truth, 1 - truth)
        hidden = (rng.random(rest) < 0.6).astype(int)
        far = np.where(rng.random(rest) < right, hidden, 1 - hidden)
        y, f, g = (part.astype(float) for part in (truth, near, far))
        untuned = np.append(*map(np.ravel, ppi_mean_ci(y, f, g, alpha=0.05, lam=1)))
        half = np.append(*map(np.ravel, ppi_mean_ci(y, f, g, alpha=0.05, lam=0.5)))
        tuned = np.append(*map(np.ravel, ppi_mean_ci(y, f, g, alpha=0.05)))
        point = float(np.ravel(ppi_mean_pointestimate(y, f, g))[0])
        cases.append(
            {
                "name": name,
                # Counts are enough: gold 1 or 0 by judge 1 or 0, and the judge's 1s of the rest.
                "labelled": [int(((y == a) & (f == b)).sum()) for a in (1, 0) for b in (1, 0)],
                "unlabelled": [int(g.sum()), rest],
                "value": {
                    "1": float(np.ravel(ppi_mean_pointestimate(y, f, g, lam=1))[0]),
                    "0.5": float(np.ravel(ppi_mean_pointestimate(y, f, g, lam=0.5))[0]),
                    "tuned": point,
                },
                "interval": {
                    "1": untuned.tolist(), "0.5": half.tolist(), "tuned": tuned.tolist()
                },
            }
        )  # fmt: skip
    source = f"ppi-python {version('ppi-python')}, ppi_mean_pointestimate and ppi_mean_ci"
    write("ppi.json", {"source": source, "level": 0.95, "cases": cases})


def near(got: float, expected: float, decimals: int, what: str) -> None:
    if round(float(got), decimals) != round(expected, decimals):
        raise SystemExit(f"{what}: {got} is not {expected}")


def check() -> None:
    import krippendorff
    from scipy import stats
    from sklearn import metrics
    from statsmodels.stats.contingency_tables import SquareTable, mcnemar
    from statsmodels.stats.proportion import proportion_confint

    for case in read("tables.json"):
        square = np.array(case["table"])[:, :-1]
        rows, columns = np.indices(square.shape)
        gold, said = np.repeat(rows, square.ravel()), np.repeat(columns, square.ravel())
        expected, decimals = case["expected"], case["decimals"]
        kappa = metrics.cohen_kappa_score(gold, said)
        near(kappa, expected["cohen_kappa"], decimals, case["source"])
        near(metrics.accuracy_score(gold, said), expected["accuracy"], decimals, case["source"])
    for case in read("alpha.json"):
        ratings = np.array(case["ratings"], float)
        ratings[ratings < 0] = np.nan
        for scale, expected in case["expected"].items():
            alpha = krippendorff.alpha(ratings, level_of_measurement=scale)
            near(alpha, expected, 3, case["source"])
    for case in read("wilson.json")["cases"]:
        limits = proportion_confint(case["hits"], case["n"], method="wilson")
        near(limits[0], case["low"], 4, "wilson")
        near(limits[1], case["high"], 4, "wilson")
    paired = read("paired.json")
    table = np.array(paired["mcnemar"]["table"])
    exact, n = mcnemar(table).pvalue, int(table[0, 1] + table[1, 0])
    near(exact, paired["mcnemar"]["exact"], 4, "McNemar")
    point = stats.binom.pmf(table[0, 1], n, 0.5)
    near(exact - point, paired["mcnemar"]["mid_p"], 4, "mid-p")
    homogeneity = paired["homogeneity"]
    for method in ("stuart_maxwell", "bhapkar"):
        found = SquareTable(np.array(homogeneity["table"])).homogeneity(method=method)
        near(found.statistic, homogeneity[method], 2, method)
    check_icc()
    packages = ("scikit-learn", "krippendorff", "statsmodels", "scipy", "pingouin")
    print("equal to", ", ".join(f"{name} {version(name)}" for name in packages))


def check_icc() -> None:
    import pandas as pd
    import pingouin

    case = read("icc.json")
    long = pd.DataFrame(case["scores"]).stack().reset_index()
    long.columns = ["target", "judge", "score"]
    found = pingouin.intraclass_corr(long, targets="target", raters="judge", ratings="score")
    for row, name in enumerate(("one_way", "agreement", "consistency")):
        near(found["ICC"].iloc[row], case[name], 2, name)


if __name__ == "__main__":
    {"irr": irr, "ppi": ppi, "check": check}[sys.argv[1]]()
