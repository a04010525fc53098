"""The points of a conflict in a summary and as JSON."""

from types import SimpleNamespace

from empirisk.cli.conflict import conflict_points, conflict_rows
from empirisk.models.reading import read_training


def test_weights_of_any_size(written):
    path = str(written("a.csv", "x,label\n0,no\n1,yes\n2,no\n"))
    examples = read_training(path, None, None, None)
    weights = (7, 10**40, 16**4500)  # Python writes no decimal number of as many digits as the last has
    verdict = SimpleNamespace(rows=(0, 1, 2), weights=weights)
    points = conflict_points(path, None, examples, verdict)
    assert [point["line"] for point in points] == [2, 3, 4]
    assert tuple(int(point["weight"], 0) for point in points) == weights
    said = [text for _, text in conflict_rows(points)]
    assert said[0].endswith("weight 7")
    assert said[1].endswith("weight a number of 41 digits")
    assert said[2].endswith("weight a number of 4501 hexadecimal digits")
