"""The page about a model of sequences is whole, safe and stands alone, whatever the labels, the words and the loss."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from empirisk.models.chains.files import read_tokens
from empirisk.models.chains.fitting import fit_chain
from empirisk.models.chains.judging import judged
from empirisk.models.chains.options import ChainOptions
from empirisk.report.chain_page import write_chain_report
from empirisk.report.chain_sections.hardest import AROUND, MOST_TOKENS, shown_tokens
from empirisk.report.chain_sections.heat_map import MOST_TOLD, HeatMap, heat_map, shade_limit
from empirisk.report.chain_sections.lengths import length_bins
from tests.report.pages import parse, words

TEMPLATES = 'columns = ["word", "tag"]\nfeatures = ["bias", "word[0]", "word[-1]"]\n'
SENTENCES = (
    "the B-NP\ncat I-NP\nsees B-VP\n\na B-NP\ndog I-NP\n\nsees B-VP\nthe B-NP\nbird I-NP\n. O\n\n"
    "a B-NP\ndog I-NP\n\na I-NP\ndog I-NP\n"
)
HOSTILE = "<script>alert(1)</script> \"'onclick=x\n名名 </svg>\n\u202etxt.exe &lt;b&gt;\n\nx \"'onclick=x\nx </svg>\n"
SECTIONS = ("The certificate", "What was asked", "Transitions", "Weights of attributes", "The sequences of the fit")


@pytest.fixture
def page(tmp_path):
    """Fits the sequences of a text, and gives the page."""

    def made(text: str, name: str = "my text.txt", dev: str | None = None, **options: Any) -> str:
        (tmp_path / "t.toml").write_text(TEMPLATES)
        paths = {key: tmp_path / key for key in (name, "dev.txt", "page.html")}
        paths[name].write_text(text, encoding="utf-8")
        tokens = read_tokens(str(paths[name]))
        templates = None if name.endswith(".crfsuite") else str(tmp_path / "t.toml")
        asked = ChainOptions(**({"templates": templates, "l2": 0.1, "tol": 0.01, "n_threads": 1} | options))
        fit = fit_chain(tokens.found, tokens.labels(None), asked)
        given: dict[str, Any] = {}
        if dev is not None:
            paths["dev.txt"].write_text(dev)
            given = {"judged": judged(fit.model, read_tokens(str(paths["dev.txt"]))), "judged_on": "dev.txt"}
        write_chain_report(
            paths["page.html"],
            fit=fit,
            tokens=tokens,
            command="empirisk tag fit 'my text.txt' -o m",
            verify_command="empirisk verify m 'my text.txt' && echo <ok>",
            seconds=0.3,
            **given,
        )
        html = paths["page.html"].read_bytes().decode("utf-8")
        assert_stands_alone(html)
        return html

    return made


def assert_stands_alone(html: str) -> None:
    for outside in ("http:", "https:", "src=", "href=", "@import", "url(", "<script", "<link"):
        assert outside not in html
    tree = parse(html)
    places = [str(a.get(name)) for tag, a in tree.tags for name in ("d", "x", "y", "cx", "cy", "viewbox") if name in a]
    assert not [place for place in places if "nan" in place or "inf" in place]
    assert not [a for _, a in tree.tags if any(name.startswith("on") for name in a)]
    charts = [attributes for tag, attributes in tree.tags if tag == "svg"]
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    assert "\\xa0" not in html
    said = words(html)
    assert [section for section in SECTIONS if section not in said] == []


def test_a_minimisation(page):
    html = page(SENTENCES)
    said = words(html)
    for part in (
        "✓ Proven The gap is within the tolerance.",
        "Objective reached",
        "Tokens right",
        "Sequences wrong",
        "of the minimum",
        "a small gap is no high F1",
        "empirisk verify m 'my text.txt' && echo <ok>",
        "lossⱼ(u) = log Z(xⱼ)",
        "Gap against passes (logarithmic)",
        "Gap against time (logarithmic)",
        "(start) and (end)",
        "lines 16 to 17 · loss",
        "5 sequences, 13 tokens, 4 labels",
    ):
        assert part in said, part
    assert "<bdi>a</bdi><em><bdi>I-NP</bdi></em><s><bdi>B-NP</bdi></s>" in html
    assert 'title="line 16"' in html
    assert len(re.findall('class="cell ', html)) == 4 * 4 + 2 * 4
    assert "B-NP → I-NP: weight" in html
    assert "seen 4 times" in html


def test_margins_have_their_own_loss(page):
    said = words(page(SENTENCES, loss="margin", cost="mean_hamming"))
    assert "margin with the cost mean_hamming" in said
    assert "by how much the worst labelling, with its cost, is above the true one" in said


def test_a_gap_that_is_not_small_is_called_so(page):
    said = words(page(SENTENCES, max_passes=1))
    assert "✗ Not proven Stopped at the pass limit" in said
    assert "Not all that was asked is proven" in said


def test_a_perceptron_and_its_conflict(page):
    twins = "a N\nb V\na N\n\na N\nb N\na N\n"
    said = words(page(twins, loss="perceptron", max_passes=2, average=False))
    assert "No weights have every sequence right." in said
    assert "my text.txt, line 2 (b) as N" in said
    assert "weights that cannot a high one" in said
    assert "Gap against" not in said


def test_a_perceptron_that_ends(page):
    said = words(page("a N\nb V\n\nb V\n", loss="perceptron", max_passes=50, average=False))
    assert "Mistakes" in said
    assert "What is taken for what No label is wrong." in said
    assert "Every label of every sequence is right." in said


def test_nothing_proven(page):
    said = words(page("a N\nb V\n\na V\nb N\nc N\n", loss="perceptron", max_passes=1, time_limit=1e-9))
    assert "Nothing is proven of these weights." in said
    assert "was not decided" in said


def test_counted_models(page):
    said = words(page(SENTENCES, loss="generative"))
    assert "likely together" in said
    assert "Smoothing 1" in said


def test_names_from_outside_are_text(page):
    html = page(HOSTILE, name="<b>.txt")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "\u202e" not in html
    assert "&lt;b&gt;.txt" in html


def test_sequences_of_another_file(page):
    dev = "the B-NP\ncat I-NP\n\nsees B-VP\nnew B-PP\n"
    html = page(SENTENCES, dev=dev)
    said = words(html)
    assert "How good it is on dev.txt" in said
    assert "of chunks, on dev.txt" in said
    assert re.search(r"<bdi>PP</bdi></th><td>1</td><td>0</td><td>0</td>", html)
    assert "Type" not in words(page("a N\nb V\n", dev="a N\n"))  # labels that are none of chunks


def test_attributes_without_words(page):
    html = page("N\tw=a\tbias\nV\tw=b\tbias\n\nN\tw=b\tbias\n", name="x.crfsuite")
    assert "line 1" in html
    assert "w=a" in html


def test_schemes_and_pairs_that_do_not_occur(page):
    said = words(page(SENTENCES.replace("a I-NP", "a B-NP"), scheme="iob2", transitions="observed", ends=False))
    assert "the scheme iob2 forbids it" in said
    assert "Empty: the pair does not occur, and has no weight." in said
    assert "Start and end none" in said


@pytest.mark.parametrize("n_labels", [MOST_TOLD + 1, 62])
def test_many_labels(page, n_labels):
    text = "".join(f"w{k} label-{k:03d}\n" + "\n" * (k % 5 == 4) for k in range(n_labels))
    html = page(text, max_passes=2)
    assert len(html.encode()) < 400_000
    assert 'class="cell ' not in html
    assert ("Shown are the 60 labels that most tokens have, of 62." in words(html)) == (n_labels == 62)


def test_which_tokens_of_a_sequence_are_shown():
    assert shown_tokens(np.zeros(MOST_TOKENS, np.bool_)).size == MOST_TOKENS
    long = np.zeros(100_000, np.bool_)
    assert shown_tokens(long).tolist() == list(range(MOST_TOKENS))
    long[[0, 99_999]] = True
    ends = range(AROUND + 1)
    assert shown_tokens(long).tolist() == [*ends, *(99_999 - t for t in reversed(ends))]
    assert shown_tokens(np.ones(500, np.bool_)).size == MOST_TOKENS


def test_lengths_in_columns():
    lengths = np.array([1, 1, 3])
    bins, beyond = length_bins(lengths, np.array([True, False, False]))
    assert [one.counts for one in bins] == [(1, 1), (0, 0), (1, 0)]
    assert beyond == 0
    assert bins[0].said == "length 1: 1 right, 1 wrong"
    lengths = np.append(np.arange(1000) % 90 + 1, 100_000)
    bins, beyond = length_bins(lengths, np.zeros(1001, np.bool_))
    assert sum(sum(one.counts) for one in bins) == 1001
    assert beyond == 1
    assert bins[-1].said.split(":")[0].endswith("and more")
    assert len(bins) < 60


def test_a_heat_map_of_extreme_numbers():
    for size in (1e150, 1e-300, 0.0):
        values = size * np.array([[1.0, -1.0], [0.5, np.nan]])
        said = [["a", "b"], ["c", "d"]]
        drawn = HeatMap(values, np.isnan(values), said, ["x", "y"])
        html = heat_map(drawn, title="t", x_label="x", y_label="y")
        assert html.count("<title>") == 3
        assert html.count('class="inked"') == 3
        assert "nan" not in html
    assert shade_limit(np.array([[np.nan]])) == 1.0
    many = np.append(np.ones(999), 1000.0)
    assert shade_limit(many) < 2.0
