"""The table of names, checked against the registry of the engine."""

import inspect
import json

import numpy as np
import pytest

import charta
from charta import _charta, _names
from charta._classes import CLASSES, default_name, describe, method
from charta._estimator import COMMON
from support import NAMES, fitted, has_views, quick


def test_every_method_has_a_class_and_no_name_is_given_twice():
    methods = set(_charta.methods())
    assert {stated["method"] for stated in _names.CLASSES.values()} <= methods
    assert all(CLASSES.of_method(name) for name in methods)
    names = [name for name, stated in CLASSES.stated.items() for name in (name, *stated.get("aliases", []))]
    assert len(names) == len(set(names)) == len(CLASSES)
    assert all(inspect.isclass(getattr(charta, name)) for name in names)


def test_a_method_without_an_entry_gets_a_class_of_its_own_names():
    entry = method("parametric_sammon")
    assert default_name("parametric_sammon") == "ParametricSammon" and "ParametricSammon" not in _names.CLASSES
    plain = describe("ParametricSammon", {"method": "parametric_sammon"}, entry)
    assert plain["positional"] == ["n_components"]
    assert [parameter["ours"] for parameter in plain["parameters"]] == [spec["name"] for spec in entry["parameters"]]


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_names_only_what_its_method_has(name):
    stated, made = CLASSES.stated[name], CLASSES[name]
    known = {"method", "aliases", "positional", "many_views", "variants", "fixed", "parameters", "values", "defaults", "documents", "attributes", "attributes_if", "taken", "ignored", "refused", "mixin"}
    assert set(stated) <= known
    specs = {spec["name"] for spec in made._entry["parameters"]}
    assert set(stated.get("parameters", {}).values()) <= specs
    assert set(stated.get("fixed", {})) <= specs
    theirs = [parameter["name"] for parameter in made._parameters]
    variants = stated.get("variants", {"name": None, "methods": {}})
    all_names = [*theirs, *stated.get("taken", {}), *stated.get("ignored", {}), *stated.get("refused", {}), *filter(None, [variants["name"]])]
    assert len(all_names) == len(set(all_names)), all_names
    assert set(stated.get("defaults", {})) | set(stated.get("values", {})) <= set(theirs)
    assert set(stated.get("positional", [])) <= {*all_names, *COMMON}
    assert set(variants["methods"].values()) <= set(_charta.methods())
    for _, _, values in stated.get("attributes_if", []):
        assert set(values) <= set(all_names)


@pytest.mark.parametrize("name", NAMES)
def test_words_for_values_stand_for_values_that_the_engine_takes(name):
    made = CLASSES[name]
    ours = {parameter["name"]: parameter for parameter in made._parameters}
    given = [(ours[of]["ours"], value) for of, _, value in made._class["values"]] + list(made._class["fixed"].items())
    for parameter, value in given:
        if (parameter, value) == ("n_components", None):
            continue  # As many as the data allows: found by the class at the fit.
        settings = json.loads(_charta.resolve(made._entry["name"], json.dumps({parameter: value})))
        assert settings[parameter] == value


@pytest.mark.parametrize("name", [name for name in NAMES if _names.CLASSES.get(name, {}).get("attributes")])
def test_attributes_are_figures_of_the_model(name, iris):
    rows = np.abs(np.asarray(iris[0], dtype=np.float64))
    classes = iris[1] if name != "PLSCanonical" else None
    model = fitted(name, rows, classes) if classes is not None else quick(name).fit(rows[:, :2], rows[:, 2:])
    for attribute in _names.CLASSES[name]["attributes"]:
        assert getattr(model, f"{attribute}_") is not None, attribute


def test_values_without_a_name_are_those_of_the_package_that_users_know(iris):
    assert charta.UMAP(7).n_neighbors == 7
    assert charta.UMAP(7, 3, "cosine").get_params().items() >= {"n_neighbors": 7, "n_components": 3, "metric": "cosine"}.items()
    assert charta.PaCMAP(3, 5).n_neighbors == 5
    assert charta.LDA("svd").solver == "svd"
    assert charta.SOM(4, 3).height == 3
    assert charta.PCA(3).n_components == 3
    with pytest.raises(TypeError, match="positional argument"):
        charta.Isomap(5)
    with pytest.raises(TypeError, match="takes 1 positional argument, `n_components`; 2 were given"):
        charta.PCA(3, True)
    with pytest.raises(TypeError, match="multiple values for argument 'n_neighbors'"):
        charta.UMAP(7, n_neighbors=3)


@pytest.mark.parametrize("name", [name for name in NAMES if not has_views(name)])
def test_coordinates_have_the_names_that_the_command_line_gives_them(name, iris):
    model = fitted(name, *iris)
    if hasattr(model, "get_support"):
        return
    assert list(model.get_feature_names_out()) == model._model.component_names


def test_defaults_are_those_of_the_command_line():
    for name in ("PCA", "UMAP", "TSNE", "MDS", "Isomap"):
        for parameter in CLASSES[name]._parameters:
            if parameter["ours"] in ("power", "iterations", "early_iterations"):
                spec = next(spec for spec in CLASSES[name]._entry["parameters"] if spec["name"] == parameter["ours"])
                assert CLASSES[name]._defaults[parameter["name"]] == spec["default"]
    assert charta.TSNE().max_iter == 1000 and charta.MDS().p == 2.0


def test_the_fit_of_all_components_is_one_fit(iris, monkeypatch):
    from charta import _estimator

    fits = []
    real = _estimator.Model

    class Counted:
        @staticmethod
        def fit(*given):
            fits.append(given)
            return real.fit(*given)

    monkeypatch.setattr(_estimator, "Model", Counted)
    assert charta.KernelPCA().fit(iris[0]).embedding_.shape == (150, 4)
    assert len(fits) == 1


def test_help_explains_the_method():
    text = charta.Isomap.__doc__
    for title in ("Idea", "Objective", "Cost", "Choosing parameters", "New points", "References"):
        assert f"**{title}.**" in text
    assert "geodesic" in text and "](" not in text
