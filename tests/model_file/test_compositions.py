"""What holds an estimator is not saved as a whole: the sentence says which part is, and its advice works."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er

X = np.random.default_rng(0).standard_normal((40, 2))
Y = X @ [1.0, 2.0] > 0.3
ESTIMATOR = er.LinearClassifier(l2=0.1)


@pytest.mark.parametrize(
    ("whole", "said", "part"),
    [
        (make_pipeline(StandardScaler(), ESTIMATOR), r"er\.save\(pipeline\[-1\], path\)", lambda whole: whole[-1]),
        (
            GridSearchCV(ESTIMATOR, {"l2": [0.1, 1.0]}, cv=2),
            r"er\.save\(search\.best_estimator_, path\)$",
            lambda whole: whole.best_estimator_,
        ),
        (
            GridSearchCV(make_pipeline(StandardScaler(), ESTIMATOR), {"linearclassifier__l2": [0.1, 1.0]}, cv=2),
            r"er\.save\(search\.best_estimator_\[-1\], path\); keep the fitted steps",
            lambda whole: whole.best_estimator_[-1],
        ),
        (OneVsRestClassifier(ESTIMATOR), "save each of its estimators_", lambda whole: whole.estimators_[0]),
        (BaggingClassifier(ESTIMATOR, n_estimators=2), "save each of its estimators_", lambda w: w.estimators_[0]),
    ],
)
def test_the_part_that_can_be_saved_is_named(whole, said, part, tmp_path):
    whole.fit(X, Y)
    with pytest.raises(TypeError, match=said):
        er.save(whole, tmp_path / "model")
    assert not (tmp_path / "model").exists()
    er.save(part(whole), tmp_path / "model")
    assert er.load(tmp_path / "model").certified


def test_a_pipeline_from_the_file_and_the_steps_before_it(tmp_path):
    pipe = make_pipeline(StandardScaler(), ESTIMATOR).fit(X, Y)
    er.save(pipe[-1], tmp_path / "model")
    again = make_pipeline(*(step for _, step in pipe.steps[:-1]), er.load(tmp_path / "model"))
    np.testing.assert_array_equal(again.predict_proba(X), pipe.predict_proba(X))
    with pytest.raises(TypeError, match=r"er\.save\(pipeline\[-1\], path\)"):
        er.save(again, tmp_path / "model")


@pytest.mark.parametrize(
    "strange", [make_pipeline(StandardScaler(), Ridge()), GridSearchCV(Ridge(), {}, cv=2).fit(X, Y), "model"]
)
def test_what_holds_none_of_our_models_is_refused_as_before(strange, tmp_path):
    with pytest.raises(TypeError, match="save takes a fitted model or estimator, or a certificate, got"):
        er.save(strange, tmp_path / "model")
