"""Tags of words: models of drawn sentences with their proofs, and the sentences that no model has all right."""

import numpy as np

import empirisk as er

TAGS = ("noun", "verb", "adjective")
FIRST = np.array([0.4, 0.1, 0.5])
NEXT = np.array([[0.1, 0.8, 0.1], [0.5, 0.1, 0.4], [0.7, 0.1, 0.2]])  # from a tag to the next one
WORDS = {
    "noun": ("light", "house", "run", "cold"),
    "verb": ("run", "light", "cook", "sees"),
    "adjective": ("light", "cold", "old", "red"),
}


def sentences(count, generator):
    """Words and tags of a hidden Markov chain: four words have two tags or three, and only the neighbours tell."""
    X, y = [], []
    for _ in range(count):
        tags = [generator.choice(3, p=FIRST)]
        while len(tags) < generator.integers(3, 9):
            tags.append(generator.choice(3, p=NEXT[tags[-1]]))
        names = [TAGS[k] for k in tags]
        X.append([str(generator.choice(WORDS[name])) for name in names])
        y.append(names)
    return X, y


def described(words):
    """What a token is described by: the word, and the words beside it."""
    around = ["(begin)", *words, "(end)"]
    return [{"word": around[t], "before": around[t - 1], "after": around[t + 1]} for t in range(1, len(words) + 1)]


def main() -> None:
    """Likelihood and margin on 60 sentences, how they tag 200 others, and which sentences can be realised."""
    generator = np.random.default_rng(0)
    words, y = sentences(60, generator)
    others, truth = sentences(200, generator)
    X, new = [described(s) for s in words], [described(s) for s in others]
    for loss, l2 in (("likelihood", 0.01), ("margin", 0.05)):
        tagger = er.ChainClassifier(loss, l2=l2, tol=1e-2).fit(X, y)
        print(f"{loss}: {tagger.certificate_.sentence()}")
        print(f"  checked: {er.verify(tagger, X, y).sentence}")
        tokens, whole = tagger.score(new, truth), tagger.sequence_score(new, truth)
        print(f"  new sentences: {tokens:.3f} of tokens, {whole:.3f} of sentences from end to end")
    print(f"  {' '.join(others[0])}: {' '.join(tagger.predict(new[:1])[0])}")

    for count in (8, 60):
        data = er.chain_data(X[:count], y[:count])
        verdict = er.realize(data)
        print(f"{count} sentences: {verdict.sentence()}")
        print(f"  checked: {er.verify(verdict, data).sentence}")
    for line in verdict.listed(word=lambda j, t: words[j][t]):
        print(f"  {line}")
    run = er.ChainClassifier("perceptron", max_passes=100).fit(X[:8], y[:8])
    print(f"perceptron on 8: {run.certificate_.sentence()}")


if __name__ == "__main__":
    main()
