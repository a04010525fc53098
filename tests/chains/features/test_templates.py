"""Templates as texts, in files, and those that come with the package."""

import pytest

from empirisk.chains.features import BUILT_IN, as_templates, parse_templates, read_templates
from empirisk.chains.features.functions import FUNCTIONS
from empirisk.chains.features.templates import (
    Applied,
    Template,
    Term,
    templates_from_json,
    templates_to_json,
)
from empirisk.data.errors import DataError

COLUMNS = ("word", "pos", "chunk")


def parsed(*features):
    return parse_templates(COLUMNS, "chunk", features).features


def test_terms():
    assert parsed("word[-1]|word[0]", "bias", " suffix( word[ +1 ] ,3) ", "prefix(lower(pos[0]), 2)|word[0]") == (
        Template("word[-1]|word[0]", (Term("word", -1), Term("word", 0))),
        Template("bias", ()),
        Template("suffix(word[1], 3)", (Term("word", 1, (Applied("suffix", (3,)),)),)),
        Template(
            "prefix(lower(pos[0]), 2)|word[0]",
            (Term("pos", 0, (Applied("lower", ()), Applied("prefix", (2,)))), Term("word", 0)),
        ),
    )


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        (
            "wrod[0]",
            r"unknown column 'wrod' in the feature 'wrod\[0\]'; beside the label there are word, pos; did you me",
        ),
        ("chunk[-1]", r"unknown column 'chunk'.*beside the label there are word, pos$"),
        ("word[one]", r"the offset of word must be a whole number, got 'one' in the feature"),
        ("word[1.5]", r"the offset of word must be a whole number, got '1.5'"),
        ("word[]", r"the offset of word must be a whole number, got ''"),
        ("sufix(word[0], 3)", r"unknown function 'sufix'.*there are lower, prefix, .*did you mean 'suffix'"),
        ("suffix(word[0])", r"suffix takes a term and a whole number >= 1, got 'suffix\(word\[0\]\)'"),
        ("suffix(word[0], 0)", r"suffix takes a term and a whole number >= 1"),
        ("suffix(word[0], 2, 3)", r"suffix takes a term and a whole number >= 1"),
        ("lower(word[0], 3)", r"lower takes a term alone"),
        ("word", r"expected a column with an offset, as word\[-1\], or a function of one, got 'word'"),
        ("word[0]||pos[0]", r"expected a column with an offset"),
        ("", r"expected a column with an offset"),
    ],
)
def test_what_is_no_template(feature, said):
    with pytest.raises(ValueError, match=said):
        parsed(feature)


def test_what_is_no_set_of_templates():
    for columns, label, features, said in (
        (("word", "word"), None, ["bias"], "two columns are called 'word'"),
        (("a b",), None, ["bias"], "a column must have a name"),
        (("word",), "tag", ["bias"], "the label must be one of the columns word, got 'tag'"),
        (("word",), None, [], "at least one feature"),
        (("word",), None, ["word[0]", "word[ 0]"], r"the feature 'word\[0\]' is there twice"),
    ):
        with pytest.raises(ValueError, match=said):
            parse_templates(columns, label, features)


def test_functions():
    texts = ["McDonald's-2000", "ab", "", "Ärger", "IIa.."]
    assert {name: function.of_all(texts, *[3] * function.n_numbers) for name, function in FUNCTIONS.items()} == {
        "lower": ["mcdonald's-2000", "ab", "", "ärger", "iia.."],
        "prefix": ["McD", None, None, "Ärg", "IIa"],
        "suffix": ["000", None, None, "ger", "a.."],
        "shape": ["XxXxxxxx'x-dddd", "xx", "", "Xxxxx", "XXx.."],
        "short_shape": ["XxXx'x-d", "x", "", "Xx", "Xx."],
    }


def test_where_columns_are():
    templates = parse_templates(COLUMNS, "chunk", ["bias"])
    assert templates.places(3) == {"word": 0, "pos": 1, "chunk": 2}
    assert templates.places(2) == {"word": 0, "pos": 1}
    assert templates.places(1) is templates.places(4) is None
    first = parse_templates(("tag", "word"), "tag", ["bias"])
    assert (first.places(2), first.places(1)) == ({"tag": 0, "word": 1}, {"word": 0})


def test_the_templates_of_crfsuite():
    chunk = as_templates("chunk")
    assert (chunk.columns, chunk.label, len(chunk.features)) == (COLUMNS, "chunk", 19)
    assert sorted(len(template.terms) for template in chunk.features) == [1] * 10 + [2] * 6 + [3] * 3
    assert as_templates(chunk) is chunk
    assert all(as_templates(name).label == as_templates(name).columns[-1] for name in BUILT_IN)
    with pytest.raises(ValueError, match="templates must be one of chunk, ner, pos, or a file, got 'chunks'"):
        as_templates("chunks")


@pytest.mark.parametrize("name", BUILT_IN)
def test_json_there_and_back(name):
    templates = as_templates(name)
    assert templates_from_json(templates_to_json(templates)) == templates


@pytest.mark.parametrize(
    "change",
    [
        {"features": [["x", [["nothing", 0, []]]]]},
        {"features": [["x", [["word", 0, [["eval"]]]]]]},
        {"features": [["x", [["word", 0, [["suffix", -1]]]]]]},
        {"features": [["x", [["tag", 0, []]]]]},
        {"features": [["x"]]},
        {"features": 3},
    ],
)
def test_json_that_is_none_is_refused(change):
    with pytest.raises(ValueError, match=r"template|values to unpack"):
        templates_from_json({**templates_to_json(as_templates("pos")), **change})


def written(tmp_path, text):
    path = tmp_path / "templates"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_in_toml(tmp_path):
    text = '# mine\ncolumns = ["word", "tag"]\nfeatures = [\n  "word[0]",\n  "shape(word[-1])",\n]\n'
    assert as_templates(written(tmp_path, text)) == parse_templates(
        ("word", "tag"), "tag", ["word[0]", "shape(word[-1])"]
    )
    text = 'label = "tag"\ncolumns = ["tag", "word"]\nfeatures = ["word[0]"]\n'
    assert read_templates(written(tmp_path, text)) == parse_templates(("tag", "word"), "tag", ["word[0]"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "templates: expected columns = .* found nothing"),
        ("columns = [", "expected TOML with columns, label and features, found something else"),
        ('columns = ["w", "t"]\nfeatures = ["w[0]", 3]', ":2: expected features"),
        ('columns = ["w", "t"]\nlabel = 3\nfeatures = ["w[0]"]', ":2: expected a text as the label, found 3"),
        ('columns = ["w", "t"]\nlabels = "t"\nfeatures = ["w[0]"]', ":2: expected the keys .* found 'labels'"),
        ('columns = ["w", "t"]\nfeatures = [\n"w[0]",\n"x[0]",\n]', ":4: unknown column 'x'"),
        ('columns = ["w", "t"]\nfeatures = [\n"w[0]",\n"w[0]",\n]', ":2: the feature .* is there twice"),
    ],
)
def test_bad_files_in_toml(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_templates(written(tmp_path, text))


CRFPP = "# Unigram\nU00:%x[-2,0]\nU01:%x[0,0]/%x[ 1 , 2]\nU02\n\n# Bigram\nB\n"


def test_files_of_crfpp(tmp_path):
    templates = read_templates(written(tmp_path, CRFPP))
    assert templates.columns == ("0", "1", "2", "label")
    assert templates.features == (
        Template("U00:%x[-2,0]", (Term("0", -2),)),
        Template("U01:%x[0,0]/%x[ 1 , 2]", (Term("0", 0), Term("2", 1))),
        Template("U02", ()),
    )
    assert templates.places(6) == {"0": 0, "1": 1, "2": 2, "label": 5}
    assert templates.places(3) == {"0": 0, "1": 1, "2": 2}
    assert templates.places(2) is None
    assert templates_from_json(templates_to_json(templates)) == templates


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            CRFPP + "B01:%x[0,0]\n",
            ":8: expected a bare B, found one with macros: transitions do not look at the tokens",
        ),
        (CRFPP + "V01\n", ":8: expected a line that begins with U or B, found 'V01'"),
        ("U0:%x[a,0]\n", r":1: expected a macro %x\[row,column\] of whole numbers, found '%x\[a,0\]'"),
        ("U0:%x[0]\n", r":1: expected a macro"),
        ("U0:%y[0,1]\n", r":1: expected a macro .* found '%y\[0,1\]'"),
        ("U0:%x[0,1]\nU0:%x[0,1]\n", ":2: the template .* is there twice"),
        ("B\n", "expected a template that begins with U, found none"),
    ],
)
def test_bad_files_of_crfpp(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_templates(written(tmp_path, text))
