"""A model of the command line takes the frame that other packages make of its file: gaps, dates and texts too."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

import empirisk as er
from empirisk.cli.main import main
from empirisk.data.errors import DataError
from tests.cli.test_kinds_of_columns import HEAD, LINES, OPTIONS

FRAMES = {
    "pandas": pd.read_csv,
    "pandas with dates": lambda path: pd.read_csv(path, parse_dates=["sold"]),
    "pandas without gaps": lambda path: pd.read_csv(path, keep_default_na=False),  # numbers are texts there
    "polars": lambda path: pl.read_csv(path, try_parse_dates=True),
    "pyarrow": lambda path: pyarrow.Table.from_pandas(pd.read_csv(path)),
}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.csv").write_text("\n".join([HEAD, *LINES]) + "\n")
    return "shop.csv"


def fitted(run, shop, missing):
    assert run("fit", shop, "-o", "m", *OPTIONS, "--missing", missing, "--l2", "0.01", "--quiet").exit_code == 0
    return er.load("m")


@pytest.fixture
def run():
    from click.testing import CliRunner

    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("missing", ["mean", "indicator"])
def test_the_frame_of_the_file_scores_as_the_file_does(missing, library, run, shop):
    model = fitted(run, shop, missing)
    rows = run("predict", "m", shop, "--scores").stdout.split("\n")[1:-1]
    expected = [float(row.split(",")[1]) for row in rows]
    np.testing.assert_allclose(model.scores(FRAMES[library](shop)), expected, rtol=1e-12)


def test_one_column_of_texts_is_no_table(run, shop):
    model, frame = fitted(run, shop, "mean"), pd.read_csv(shop)
    for texts in (frame["kind"], frame["kind"].to_numpy(), frame["kind"].tolist()):
        with pytest.raises(
            ValueError, match=r"X must be a data frame with the columns of the fit, .*'kind'.*one dimension"
        ):
            model.predict(texts)


def test_rows_that_were_dropped_are_refused_with_the_way_out(run, shop):
    model, frame = fitted(run, shop, "drop"), pd.read_csv(shop)
    with pytest.raises(DataError, match=r"'price' \(11 of 80 rows\), 'kind' .*missing='drop': leave these rows out"):
        model.predict(frame)
    whole = frame[frame["price"].notna() & (frame["kind"] != "?")]
    assert model.predict(whole).tolist() == whole["y"].tolist()


def test_a_time_that_is_missing(run, shop):
    model = fitted(run, shop, "mean")
    frame = pd.read_csv(shop, parse_dates=["sold"])
    frame.loc[0, "sold"] = pd.NaT
    assert np.isfinite(model.scores(frame)).all()
