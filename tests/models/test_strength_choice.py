"""What a cross-validation tries: grids that go on beyond their ends, folds that the rarest class allows, limits."""

import numpy as np
import pytest

import empirisk as er
from empirisk import driver
from empirisk.model_file import load, save
from empirisk.models import FitOptions, fit_linear
from empirisk.models.limit import Limit
from empirisk.models.validation.cross_validation import CrossValidation
from empirisk.models.validation.strength_choice import MOST_EXTENSIONS, extended
from empirisk.protocols import Unsupported
from empirisk.solution import Status
from empirisk.stopwatch import work_clock

rng = np.random.default_rng(2)
X = rng.normal(size=(40, 3))
SIGNS = np.where(X[:, 0] + 0.1 * rng.normal(size=40) > 0.0, 1.0, -1.0)
SMALL = {"folds": 2, "n_strengths": 4}
REGRESSION = FitOptions(task="regression", l2="cv", **SMALL)
RARE = np.repeat(["common", "rare"], [37, 3])


def losses_least_at(l1_best, l2_best, calls):
    """Held-out losses that grow with the distance from a pair, on a logarithmic scale."""

    def tried(l1, l2):
        calls.append((l1, l2))
        every_l1, every_l2 = np.tile(l1, l2.size), np.repeat(l2, l1.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = sum(
                np.nan_to_num(np.abs(np.log(every / best)) ** 2)
                for every, best in ((every_l1, l1_best), (every_l2, l2_best))
                if best > 0.0
            )
        return CrossValidation(every_l1, every_l2, np.ones(2), np.array([far, 1.5 * far]), None, 1)

    return tried


GRID = np.geomspace(1.0, 1e-3, 4)


@pytest.mark.parametrize(("best", "end"), [(3e-5, "smaller"), (40.0, "larger")])
def test_a_grid_goes_on_beyond_its_end_until_the_best_lies_inside(best, end):
    calls = []
    tried = losses_least_at(0.0, best, calls)
    found, _ = extended(tried(np.zeros(1), GRID), ("l2",), tried)
    assert np.diff(np.log10(found.l2)) == pytest.approx(-1.0)
    assert found.l2.min() < best < found.l2.max()
    assert found.end_of("l2") == found.at_the_end == ""
    assert abs(np.log10(found.l2[found.best] / best)) <= 0.5
    assert found.extended.startswith(f"{found.l2.size - 4} {end} l2 were tried beyond the grid")
    assert found.uncertified == len(calls)
    assert found.fold_losses.shape == (2, found.l2.size)


def test_extensions_are_bounded():
    calls = []
    tried = losses_least_at(0.0, 1e-300, calls)
    found, is_cut = extended(tried(np.zeros(1), GRID), ("l2",), tried)
    assert not is_cut
    assert len(calls) == 1 + MOST_EXTENSIONS
    assert found.l2.size == 4 + 2 * MOST_EXTENSIONS
    assert found.at_the_end == "l2 is the smallest of those tried: a better one may lie beyond"


def test_a_grid_in_two_directions_stays_one():
    calls = []
    tried = losses_least_at(3e-5, 5.0, calls)
    found, _ = extended(tried(GRID, GRID[:2]), ("l1", "l2"), tried)
    l1, l2 = np.unique(found.l1)[::-1], np.unique(found.l2)[::-1]
    assert found.l1.tolist() == [*l1] * l2.size
    assert found.l2.tolist() == np.repeat(l2, l1.size).tolist()
    assert found.losses.tolist() == tried(l1, l2).losses.tolist()
    assert found.at_the_end == ""
    assert " l1 " in found.extended
    assert "; " in found.extended


def test_nothing_is_tried_where_it_cannot_help():
    for best in (1e3, 1e-1):  # all weights are zero under the largest l1; and one inside the grid
        calls = []
        tried = losses_least_at(best, 0.0, calls)
        assert extended(tried(GRID, np.zeros(1)), ("l1",), tried)[0].extended == ""
        assert len(calls) == 1
    flat = CrossValidation(np.zeros(3), GRID[:3], np.ones(2), np.array([[3, 1 + 1e-9, 1], [3, 2 + 1e-9, 2]]), None, 0)
    assert extended(flat, ("l2",), tried)[0] == flat


def test_an_extension_that_is_cut_is_left_out():
    calls = []
    tried = losses_least_at(0.0, 1e-300, calls)
    whole = tried(np.zeros(1), GRID)

    def cut(l1, l2):
        found = tried(l1, l2)
        return found._replace(fold_weights=np.ones(1), fold_losses=found.fold_losses[:1])

    found, is_cut = extended(whole, ("l2",), cut)
    assert is_cut
    assert found.l2.tolist() == GRID.tolist()
    assert found.extended == "time_limit ended the search beyond the grid"


def test_separable_data_ask_for_less_than_the_grid_has(tmp_path):
    """The real thing: the smaller l2, the better a plane that makes no mistake."""
    labels = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    model = fit_linear(X, labels, FitOptions(l2="cv", **SMALL)).model
    found = model.cross_validation
    assert found.l2.size > 4
    assert "smaller l2 were tried beyond the grid" in found.extended
    assert model.certified
    save(model, tmp_path / "m")
    assert load(tmp_path / "m").cross_validation.extended == found.extended


def test_the_rarest_class_lowers_the_folds_and_it_is_said():
    said = "3 folds instead of 5, as the class 'rare' has 3 rows with a positive weight"
    with pytest.warns(UserWarning, match=said):
        model = er.LinearClassifier(l2="cv", n_strengths=4).fit(X, RARE)
    assert model.cv_results_["fold_losses"].shape[0] == 3
    assert model.model_.cross_validation.fewer_folds == said
    assert model.folds == 5
    found = fit_linear(X[:4], np.arange(4.0), FitOptions(task="regression", l2="cv", n_strengths=2)).model
    assert found.cross_validation.fewer_folds == "4 folds instead of 5, as there are 4 rows with a positive weight"


def test_one_row_of_a_class_is_too_few():
    labels = np.repeat(["common", "rare"], [39, 1])
    with pytest.raises(
        Unsupported, match="needs more than one sample of each class, and the class 'rare' has 1 row with"
    ):
        fit_linear(X, labels, FitOptions(l2="cv"))


def test_no_time_for_one_fit():
    said = "time_limit ended the cross-validation before the first of its fits was done, and there is nothing"
    for asked in (FitOptions(l2="cv", time_limit=0.0, **SMALL), REGRESSION._replace(time_limit=0.0)):
        with pytest.raises(Unsupported, match=said):
            fit_linear(X, SIGNS, asked)


def test_a_limit_cuts_the_folds_and_it_is_said(monkeypatch):
    fits = []
    monkeypatch.setattr(driver, "work_clock", lambda: 1e99 if len(fits) >= 8 else 0.0)
    asked = FitOptions(l2="cv", folds=4, n_strengths=3, time_limit=1e9)
    model = fit_linear(X, SIGNS, asked, on_event=fits.append).model
    found = model.cross_validation
    assert found.fold_losses.shape == (2, 3)
    assert found.fewer_folds == "2 folds instead of 4: time_limit ended the cross-validation"
    assert not model.certified
    assert "time limit" in model.status


@pytest.mark.parametrize("fits_before", [1, 2, 3, 5, 6, 11, 12, 13])
@pytest.mark.parametrize("standardize", [False, True])
def test_who_asks_to_stop_gets_the_best_point_there_is(fits_before, standardize, tmp_path):
    """Of fits without one fold; with its gap for all rows, and a sentence on what chose its strength."""
    fits, asked = [], FitOptions(l2="cv", folds=4, n_strengths=3, standardize=standardize)
    model = fit_linear(X, SIGNS, asked, on_event=fits.append, stop=lambda: len(fits) >= fits_before).model
    folds = fits_before // 3
    assert model.status == Status.INTERRUPTED
    assert not model.certified
    assert model.certificate.objective < np.log(2.0)  # of zero, where a fit begins
    assert np.all(model.weights != 0.0)
    assert er.verify(model, X, SIGNS).holds
    if folds < 2:
        assert model.cross_validation is None
        count = 3 if folds else fits_before
        assert model.cut_choice() == (
            f"l2 {model.options.l2:g} was chosen on the first of 4 folds alone, of {count} tried there: "
            "an interrupt ended the cross-validation"
        )
        assert model.cut_choice() in model.reason
    else:
        assert model.cross_validation.n_folds == min(folds, 4)
        assert ("an interrupt" in model.cut_choice()) == (folds < 4)
    save(model, tmp_path / "m")
    assert er.verify(load(tmp_path / "m"), X, SIGNS).holds


def test_a_limit_holds_where_folds_are_judged_by_their_moments(monkeypatch):
    asks = []
    monkeypatch.setattr(Limit, "is_reached", lambda limit: asks.append(1) or len(asks) > 6)
    model = fit_linear(X, X @ [1.0, 2.0, 0.0] + SIGNS, REGRESSION._replace(time_limit=1e9)).model
    assert model.cross_validation is None
    assert "of 4 tried there: time_limit ended the cross-validation" in model.cut_choice()
    assert model.certified  # half of the time was left for the fit itself


def test_nothing_to_keep_before_the_first_fit():
    with pytest.raises(Unsupported, match="an interrupt ended the cross-validation before the first of its fits"):
        fit_linear(X, SIGNS, FitOptions(l2="cv", **SMALL), stop=lambda: True)


def test_a_part_of_a_limit():
    limit = Limit(work_clock() + 100.0)
    assert 0.0 < limit.part(0.5).seconds_left() <= 50.0
    assert not limit.is_reached()
    assert Limit(work_clock() - 1.0).seconds_left() == 0.0
    assert Limit(stop=lambda: 1).is_reached()
    assert Limit().part(0.5) == Limit()
