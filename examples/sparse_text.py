"""Rows as in text classification, many columns and few entries: a batch method, a dual method, and l1."""

import numpy as np
import scipy.sparse

import empirisk as er

rng = np.random.default_rng(0)
n_documents, n_words, words_each = 4_000, 20_000, 60

# Some words are far more common than others; rows have length one; a twentieth of the words tells the class.
words = (n_words * rng.random((n_documents, words_each)) ** 4).astype(int)
counts = scipy.sparse.coo_array(
    (np.ones(words.size), (np.repeat(np.arange(n_documents), words_each), words.ravel())), shape=(n_documents, n_words)
).tocsr()
X = scipy.sparse.diags_array(1.0 / scipy.sparse.linalg.norm(counts, axis=1)) @ counts
effects = np.where(rng.random(n_words) < 0.05, rng.normal(size=n_words), 0.0)
y = np.where(X @ effects + 0.05 * rng.normal(size=n_documents) > 0.0, 1.0, -1.0)
filled = X.nnz / (n_documents * n_words)
print(f"{n_documents} documents, {n_words} words, {X.nnz} entries ({100 * filled:.2f} % filled)\n")

for loss, l1, l2 in (("logistic", 0.0, 1e-4), ("hinge", 0.0, 1e-4), ("logistic", 3e-5, 1e-5)):
    problem = er.EmpiricalRisk(X, y, loss, l1=l1, l2=l2)
    solution = er.minimize(problem, tol=1e-4)
    errors = np.mean(np.sign(X @ solution.weights + solution.intercept) != y)
    n_weights = np.count_nonzero(solution.weights)
    print(f"{loss}, l1 = {l1:g}, l2 = {l2:g}: {n_weights} weights are not zero, {100 * errors:.1f} % errors")
    print(f"  {solution.reason}")
    print(f"  {solution.certificate.sentence()}")
    print(f"  {solution.status}, {solution.passes:.0f} passes\n")
