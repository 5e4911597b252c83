from metajudge.gold.claim import Annotation
from metajudge.gold.importing.light import lightened


def test_a_lightened_model_is_the_same_but_for_the_names_that_were_given():
    fields = {"annotator": "安娜", "label": "yes", "seconds": 2.5}
    light, plain = lightened(Annotation(**fields)), Annotation(**fields)
    assert light == plain
    assert hash(light) == hash(plain)
    assert light.model_dump(exclude_defaults=True) == fields
    assert light.model_copy(update={"label": "no"}) == plain.model_copy(update={"label": "no"})
    assert light.model_fields_set == set()


def test_a_copy_does_not_give_its_names_to_other_models():
    first = lightened(Annotation(annotator="bo", label="idk"))
    changed = first.model_copy(update={"label": "no"})
    assert changed.model_fields_set == {"label"}
    assert first.model_fields_set == set()
