"""Pauses of the garbage collector: as it was afterwards, whatever happens, and however they overlap."""

import gc

import pytest

from empirisk import garbage


@pytest.fixture(params=[True, False])
def was_enabled(request):
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_as_it_was_after_an_error(was_enabled):
    with pytest.raises(ZeroDivisionError), garbage.kept():
        _ = 1 / gc.isenabled()
    assert gc.isenabled() == was_enabled


def test_the_last_of_overlapping_pauses_ends_it(was_enabled):
    garbage.pause()
    garbage.pause()
    garbage.resume()
    assert not gc.isenabled()
    garbage.resume()
    assert gc.isenabled() == was_enabled
