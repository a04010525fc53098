"""Losses as texts, and the words with which bad ones are refused."""

from typing import NamedTuple

import pytest

from empirisk.losses import LOSSES, Huber, Logistic, Quantile, as_loss, loss_text
from tests.laws.loss_cases import ALL, case_id


@pytest.mark.parametrize("loss", ALL, ids=case_id)
def test_text_round_trip(loss):
    again = as_loss(loss_text(loss))
    assert type(again) is type(loss)
    assert tuple(again) == tuple(loss)


def test_texts_name_what_differs_from_the_defaults():
    assert loss_text(Huber(delta=1.5)) == "huber:delta=1.5"
    assert loss_text(Quantile(2.0, 0.9)) == "quantile:scale=2.0,level=0.9"
    assert loss_text(Logistic()) == "logistic"
    assert as_loss("squared_epsilon_insensitive:epsilon=0.5").epsilon == 0.5


@pytest.mark.parametrize("name", LOSSES)
def test_the_first_parameter_is_the_scale(name):
    assert LOSSES[name]._fields[0] == "scale"
    assert LOSSES[name]().value(-1.3, 1.0) * 3 == pytest.approx(as_loss(f"{name}:scale=3").value(-1.3, 1.0))


BETWEEN = "parameter 'level' of loss 'quantile' must lie strictly between 0 and 1, got "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "one of 'logistic'"),
        ("logistic:scael=2", "no parameter 'scael'"),
        ("huber:epsilon=2", "no parameter 'epsilon'; it has scale, delta"),
        ("logistic:scale=two", "must be a number"),
        ("logistic:scale=-1", "parameter 'scale' of loss 'logistic' must be positive and finite, got -1.0"),
        ("logistic:scale=nan", "positive"),
        ("huber:delta=0", "positive"),
        ("huber:delta=inf", "finite"),
        ("quantile:level=1.5", BETWEEN + "1.5"),
        ("quantile:level=1", BETWEEN + "1.0"),
        ("quantile:level=0", BETWEEN + "0.0"),
        ("quantile:level=-0.5", BETWEEN + "-0.5"),
        ("quantile:level=nan", BETWEEN + "nan"),
    ],
)
def test_bad_texts_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        as_loss(text)


class Bounded(NamedTuple):
    low: float = 0.0
    tilt: float = 0.0

    def parameter_ranges(self):
        return {"tilt": (-2.0, 2.0)}

    def value(self, z, y):
        return abs(z - y) + self.tilt * 0.1


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (Quantile(level=1.5), BETWEEN + "1.5"),
        (Quantile(level="half"), BETWEEN + "'half'"),
        (Huber(delta=None), "parameter 'delta' of loss 'huber' must be positive and finite, got None"),
        (Bounded(tilt=2.0), "parameter 'tilt' of loss 'bounded' must lie strictly between -2 and 2, got 2.0"),
    ],
)
def test_bad_objects_are_refused_in_the_same_words(loss, words):
    with pytest.raises(ValueError, match=words):
        as_loss(loss)


def test_the_fields_of_a_users_loss_are_its_own():
    loss = Bounded(low=-3.0, tilt=-1.0)
    assert as_loss(loss) is loss


def test_integers_become_floats():
    assert isinstance(as_loss(Huber(2, 3)).delta, float)
