"""Can a plane separate two classes, how wide is the gap, how many errors are unavoidable? Answers with their proofs."""

from sklearn.datasets import load_iris

import empirisk as er

X, species = load_iris(return_X_y=True)
is_setosa, is_virginica = species == 0, species == 2

print("Setosa against the others:")
plane = er.separate(X, is_setosa)
print(" ", plane.sentence())
print(" ", er.verify(plane, X, is_setosa).sentence)

run = er.perceptron(X, is_setosa, widest_gap=True)
print(" ", run.certificate.sentence())
print(" ", run.trace.sentence())

widest = er.MaxMarginClassifier().fit(X, is_setosa)
print(" ", widest.certificate_.sentence())

print("\nVirginica against the others:")
conflict = er.separate(X, is_virginica)
print(" ", conflict.sentence())
for row, weight in zip(conflict.rows, conflict.weights, strict=True):
    share = weight / sum(conflict.weights)  # the exact weights are long integers
    print(f"    row {row}, {'virginica' if is_virginica[row] else 'another'}, weight {share:.3f}")

best = er.ExactClassifier().fit(X, is_virginica)
logistic = er.LinearClassifier(l2=1e-3).fit(X, is_virginica)
print(" ", best.certificate_.sentence())
print(f"  Logistic regression makes {int((logistic.predict(X) != is_virginica).sum())}.")
