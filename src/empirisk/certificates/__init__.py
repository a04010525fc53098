"""Certificates: claims about an answer that are recomputed from the data, without solver or driver."""

from empirisk.certificates import dual_value, moment_value, softmax_value  # they register with `values.evaluate`
from empirisk.certificates.certify import certify, lightened, refute
from empirisk.certificates.class_gaps import ClassGaps, class_gaps
from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.certificates.registry import KINDS, certificate_from_json, register
from empirisk.certificates.seal import from_sealed_json, sealed_json
from empirisk.certificates.stationarity import Stationarity, stationarity
from empirisk.certificates.unattained import UnattainedInfimum
from empirisk.protocols import Verification

__all__ = [
    "KINDS",
    "ClassGaps",
    "DualityGap",
    "Stationarity",
    "UnattainedInfimum",
    "Verification",
    "certificate_from_json",
    "certify",
    "class_gaps",
    "dual_value",
    "duality_gap",
    "from_sealed_json",
    "lightened",
    "moment_value",
    "refute",
    "register",
    "sealed_json",
    "softmax_value",
    "stationarity",
]
