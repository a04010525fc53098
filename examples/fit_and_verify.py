"""Four losses on one data set: what each proves about itself, and what happens to a model that was tampered with."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import empirisk as er

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)

print("loss            objective     relative gap  accuracy  solver")
for loss in ("logistic", "squared_hinge", "hinge", "squared"):
    model = er.LinearClassifier(loss=loss, l2=1e-3).fit(X, y)
    gap, solver = model.certificate_.relative_gap, model.solution_.solver
    print(f"{loss:<15} {model.solution_.objective:.10f}  {gap:<12.1e}  {model.score(X, y):.3f}     {solver}")

model = er.LinearClassifier(loss="hinge", l2=1e-3).fit(X, y)
print("\nThe support vector machine, in words:")
print(" ", model.certificate_.sentence())
print(" ", model.solution_.reason)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "svm.empirisk"
    er.save(model, path)
    loaded = er.load(path)
print(f"\nThe model as it was saved:\n  {er.verify(loaded, X, y).sentence}")

tampered = loaded._replace(weights=1.01 * loaded.weights)
print(f"With weights that are one percent larger:\n  {er.verify(tampered, X, y).sentence}")

bold = loaded._replace(certificate=loaded.certificate._replace(gap=0.1 * loaded.certificate.gap))
print(f"With a gap claimed ten times smaller:\n  {er.verify(bold, X, y).sentence}")

changed = X.copy()
changed[100, 7] += 1e-12
print(f"On data that differ in one number by 1e-12:\n  {er.verify(loaded, changed, y).sentence}")
