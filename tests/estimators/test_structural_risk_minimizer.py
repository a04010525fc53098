"""StructuralRiskMinimizer: families, tables, guarantees, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import empirisk as er

X, Y = (part[:150] for part in load_breast_cancer(return_X_y=True))
X = X[:, [0, 1, 20, 21]]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")


def test_integers():
    model = er.StructuralRiskMinimizer(orders=2).fit(X, Y)
    assert er.verify(model, X, Y).holds
    assert len(model.table_) == 2
    assert model.bound_.value == min(row["J"] for row in model.table_) < 0.4
    assert np.array_equal(model.coef_[0], model.plane_.weights())
    assert model.intercept_[0] == model.plane_.intercept
    assert model.bound_.sentence() in model.text()
    again = model.bound(X, Y)  # on its own rows the bound that was minimised
    assert (again.kind, again.value, again.delta) == ("integers", model.bound_.value, 0.05)
    assert model.bound(X, Y, delta=0.01).value > again.value
    assert model.bound(X[:60], Y[:60]).kind == "test"
    assert np.mean(model.predict(X) != Y) == pytest.approx(model.bound_.empirical)


def test_the_card_has_the_names_of_columns_and_labels():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["radius", "texture", "worst radius", "worst texture"])
    text = er.StructuralRiskMinimizer(orders=1).fit(table, np.where(Y == 1, "benign", "malignant")).text()
    assert "of worst radius" in text
    assert "Predict malignant from" in text


@pytest.mark.parametrize(
    ("options", "dimensions"),
    [
        ({"family": "columns"}, [2, 3, 5]),
        ({"family": "columns", "sizes": [3], "fit_intercept": False}, [3]),
        ({"family": "nonzero"}, [2, 3, 5]),
        ({"family": "groups", "groups": [[2], [0, 1]]}, [2, 4]),
        ({"family": "degrees", "degree": 2}, [5, 15]),
        ({"family": [(RidgeClassifier(), 5), (RidgeClassifier(alpha=9.0), 5)]}, [5, 5]),
    ],
)
def test_other_families(options, dimensions):
    model = er.StructuralRiskMinimizer(**options, cv=3).fit(X, Y)
    assert [row["h"] for row in model.table_] == dimensions
    chosen = [row["chosen"] for row in model.table_]
    assert sum(chosen) == 1
    assert model.table_[chosen.index(True)]["J"] == model.bound_.value == min(row["J"] for row in model.table_)
    errors = [row["cv_error"] for row in model.table_]
    assert errors[model.cv_choice_] == min(errors)
    assert np.mean(model.predict(X) != Y) == pytest.approx(model.bound_.empirical)
    assert er.verify(model.bound_, model.monomials(X), Y).holds
    assert model.bound_.sentence() in model.text()
    assert model.bound(X, Y).value == model.bound_.value
    place = chosen.index(True) + 1
    h = dimensions[place - 1]
    alone = er.bounds.vc_tail(model.bound_.errors, 150, h, 0.05 / (place * (place + 1)))
    if options["family"] == "nonzero" and place < 3:
        assert model.bound_.value > alone  # which columns, too
    else:
        assert model.bound_.value == pytest.approx(alone)


def test_a_plane_outside_its_class_is_refused():
    bound = er.StructuralRiskMinimizer(family="columns", cv=0).fit(X, Y).bound_
    assert er.verify(bound, X, Y).holds
    for name, value in {"place": 1, "most_nonzero": 0, "is_affine": False, "told_h": 1}.items():
        if bound.ingredients[name] != value:
            assert not er.verify(bound._replace(ingredients={**bound.ingredients, name: value}), X, Y).holds
    more = bound._replace(ingredients={**bound.ingredients, "most_nonzero": 5})
    assert "fewer columns" in er.verify(more, X, Y).sentence
    none = {**bound.evidence, "allowed": np.zeros(4, dtype=np.int64)}
    assert not er.verify(bound._replace(evidence=none), X, Y).holds


def test_save_and_load(tmp_path):
    model = er.StructuralRiskMinimizer(orders=1).fit(X, Y)
    er.save(model, tmp_path / "plane.model")
    again = er.load(tmp_path / "plane.model")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert er.verify(again, X, Y).holds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"family": "integer"}, "family must be 'integers'.*did you mean"),
        ({"family": []}, "a list of pairs"),
        ({"family": [(DecisionTreeClassifier(), 3)]}, "fits no plane"),
        ({"family": [(RidgeClassifier(), 0)]}, "h must be"),
        ({"family": "groups"}, "needs groups"),
        ({"family": "groups", "groups": [[0], [9]]}, "group 1 must hold columns from 0 to 3"),
        ({"family": "columns", "sizes": [2, 1]}, "sizes must grow"),
        ({"family": "columns", "cv": 1}, "cv must be 0"),
        ({"delta": 0.0}, "delta must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"delta": float("nan")}, "delta must be"),
        ({"orders": 0}, "orders must be"),
    ],
)
def test_bad_parameters(options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        er.StructuralRiskMinimizer(**options).fit(X, Y)


def test_bad_data():
    model = er.StructuralRiskMinimizer(orders=1)
    with pytest.raises(NotFittedError):
        model.text()
    with pytest.raises(ValueError, match="class"):
        model.fit(X, np.ones(150))
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, Y, sample_weight=np.ones(150))
    model.fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])


def test_scikit_learn_contract():
    check_estimator(er.StructuralRiskMinimizer(orders=1))
