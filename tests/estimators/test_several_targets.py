"""Several targets: one problem a target, with a gap each; saved, loaded and verified like any other model."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

import empirisk as er
from empirisk.cli.main import main
from empirisk.model_file import to_bytes
from empirisk.models import FitOptions, fit_linear
from empirisk.models.validation.cross_validation import deal
from empirisk.problems.several_targets import SeveralTargets

pytestmark = pytest.mark.interpreted

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((30, 3))
TARGETS = X @ RANDOM.standard_normal((3, 2)) + 0.1 * RANDOM.standard_normal((30, 2)) + [1.0, 20.0]
WEIGHTS = RANDOM.uniform(0.5, 2.0, 30)


def test_each_target_is_fitted_as_if_alone():
    model = er.LinearRegressor(l2=0.1).fit(X, TARGETS, WEIGHTS)
    assert (model.coef_.shape, model.intercept_.shape) == ((2, 3), (2,))
    for j in range(2):
        alone = er.LinearRegressor(l2=0.1).fit(X, TARGETS[:, j], WEIGHTS)
        np.testing.assert_allclose(model.coef_[j], alone.coef_, rtol=1e-6)
        assert model.certificate_.gaps[j].objective == pytest.approx(alone.certificate_.objective)
    assert model.certificate_.is_within(1e-6)
    assert "a sum over 2 targets" in model.certificate_.sentence()
    assert model.model_.reason.endswith("target by target.")
    assert er.verify(model, X, TARGETS, WEIGHTS).holds


def test_the_same_as_ridge_and_its_score():
    model, ridge = er.LinearRegressor(l2=0.1, tol=1e-10).fit(X, TARGETS), Ridge(alpha=0.1 * 30).fit(X, TARGETS)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-6)
    assert model.predict(X).shape == (30, 2)
    assert model.score(X, TARGETS) == pytest.approx(ridge.score(X, TARGETS), rel=1e-6)


@pytest.mark.parametrize("n_targets", [2, 3])
@pytest.mark.parametrize("loss", ["squared", "absolute", "poisson"])
def test_the_file_keeps_every_target(loss, n_targets, tmp_path):
    y = np.abs(np.column_stack([TARGETS, 2.0 * TARGETS[:, 0]]))[:, :n_targets]
    model = er.LinearRegressor(loss=loss, l2=0.1).fit(X, y)
    er.save(model, tmp_path / "model")
    loaded = er.load(tmp_path / "model")
    assert to_bytes(loaded) == to_bytes(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    assert loaded.score(X, y) == pytest.approx(r2_score(y, model.predict(X)), rel=1e-12)
    assert er.verify(loaded, X, y).holds
    assert not er.verify(loaded, X, y + 1.0).holds
    assert not er.verify(loaded, X, y[:, ::-1]).holds
    assert not er.verify(loaded, X, y[:, 0]).holds
    lie = loaded.certificate._replace(gaps=(loaded.certificate.gaps[0]._replace(gap=0.0), *loaded.certificate.gaps[1:]))
    assert not er.verify(loaded._replace(certificate=lie), X, y).holds


def test_the_command_line_predicts_every_target(tmp_path):
    model = er.LinearRegressor(l2=0.1).fit(X, TARGETS)
    er.save(model, tmp_path / "model")
    np.save(tmp_path / "rows.npy", X)
    result = CliRunner().invoke(main, ["predict", str(tmp_path / "model"), str(tmp_path / "rows.npy")])
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[0]) == (0, "label_0,label_1")
    found = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    np.testing.assert_array_equal(found, model.predict(X))


def test_standardised_columns_and_a_warm_start():
    fit = fit_linear(X * [1.0, 100.0, 0.01], TARGETS, FitOptions(task="regression", l2=0.1, standardize=True))
    assert fit.model.certified
    assert er.verify(fit.model, X * [1.0, 100.0, 0.01], TARGETS).holds
    warm = er.LinearRegressor(loss="huber", l2=0.1, warm_start=True).fit(X, TARGETS)
    assert warm.fit(X, TARGETS).n_iter_ <= warm.fit(X, TARGETS).n_iter_ + 1
    assert warm.model_.certified


def test_minimize_takes_the_problem_itself():
    problem = SeveralTargets(X, TARGETS, "squared", l2=0.1)
    solution = er.minimize(problem, "newton")
    assert solution.certified
    assert er.verify(solution, problem).holds
    stronger = problem.with_strengths(l2=1.0).with_weights(WEIGHTS)
    assert stronger.of_class(1).regularizer.l2 == 1.0
    assert not er.verify(solution, stronger).holds
    with pytest.raises(AttributeError, match="a problem does not change"):
        problem.n_threads = 2


def test_what_is_refused():
    spoiled = TARGETS.copy()
    spoiled[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        er.LinearRegressor().fit(X, spoiled)
    with pytest.raises(ValueError, match="y must hold numbers >= 0 for the loss 'poisson'"):
        er.LinearRegressor(loss="poisson").fit(X, np.abs(TARGETS) * [1.0, -1.0])


@pytest.mark.parametrize("options", [{"l2": "cv"}, {"l1": "cv", "l2": 0.0}, {"l2": "cv", "loss": "huber"}], ids=str)
def test_one_strength_is_chosen_by_the_sum_of_the_losses(options):
    asked = {"folds": 3, "n_strengths": 4, "tol": 1e-8, "random_state": 0} | options
    together = er.LinearRegressor(**asked).fit(X, TARGETS, WEIGHTS)
    found, name = together.cv_results_, next(name for name, value in options.items() if value == "cv")
    apart = np.zeros(found["fold_losses"].shape)
    folds = deal(TARGETS, WEIGHTS, 3, 0, None)
    for (fold, k), _ in np.ndenumerate(apart):
        rest, left = (folds >= 0) & (folds != fold), folds == fold
        strengths = {"l1": found["l1"][k], "l2": found["l2"][k]}
        for target in TARGETS.T:
            one = er.LinearRegressor(**{**options, **strengths, "tol": 1e-8}).fit(X[rest], target[rest], WEIGHTS[rest])
            z = one.predict(X[left])
            losses = [one.model_.options.loss.value(a, b) for a, b in zip(z, target[left], strict=True)]
            apart[fold, k] += np.average(losses, weights=WEIGHTS[left])
    np.testing.assert_allclose(found["fold_losses"], apart, rtol=1e-5)
    assert getattr(together, f"{name}_") == found[name][np.argmin(found["mean_loss"])]
    assert together.model_.certified
    assert er.verify(together, X, TARGETS, WEIGHTS).holds


def test_score_judges_each_target_and_their_mean(tmp_path):
    model = er.LinearRegressor(l2=0.1).fit(X, TARGETS)
    found = er.score(model, X, TARGETS)
    assert isinstance(found, er.TargetsScore)
    alone = [er.score(er.LinearRegressor(l2=0.1).fit(X, target), X, target) for target in TARGETS.T]
    for name, mean in found.measures().items():
        each = [one.measures()[name] for one in alone]
        assert [one.measures()[name].value for one in found.targets] == pytest.approx([one.value for one in each])
        assert mean.value == pytest.approx(np.mean([one.value for one in each]))
        assert mean.interval.low == pytest.approx(np.mean([one.interval.low for one in each]))
        assert mean.interval.high == pytest.approx(np.mean([one.interval.high for one in each]))
        assert mean.interval.method.startswith("mean over the targets of ")
    assert found.measures()["r_squared"].value == pytest.approx(model.score(X, TARGETS))
    weighted = er.score(model, X, TARGETS, WEIGHTS)
    assert weighted.measures()["r_squared"].interval is None
    with pytest.raises(ValueError, match="y must have 2 targets for each of the"):
        er.score(model, X, TARGETS[:, 0])
    one = er.LinearRegressor(l2=0.1).fit(X, TARGETS[:, 0])
    assert er.score(one, X, TARGETS[:, :1]) == er.score(one, X, TARGETS[:, 0])


def test_the_command_line_scores_and_verifies_every_target(tmp_path):
    model, saved = er.LinearRegressor(l2=0.1).fit(X, TARGETS), str(tmp_path / "model")
    er.save(model, saved)
    np.savez(tmp_path / "rows.npz", X=X, y=TARGETS)
    rows, page = str(tmp_path / "rows.npz"), str(tmp_path / "page.html")
    told = CliRunner().invoke(main, ["score", saved, rows, "--json", "--quiet", "--report", page])
    expected = er.score(model, X, TARGETS).to_json()
    assert {name: value for name, value in json.loads(told.stdout).items() if name in expected} == expected
    said = CliRunner().invoke(main, ["score", saved, rows]).stdout
    assert "target  RMSE" in said
    assert CliRunner().invoke(main, ["verify", saved, rows]).exit_code == 0
    np.savez(tmp_path / "rows.npz", X=X, y=TARGETS[:, 0])
    result = CliRunner().invoke(main, ["score", saved, rows])
    assert result.exit_code == 3
    assert f"expected the shape ({len(X)}, 2) as X has it" in result.stderr
