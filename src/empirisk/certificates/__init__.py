"""Certificates: claims about an answer that are recomputed from the data, without solver or driver.

Those of chapters are here too, by name: their modules are imported when they are asked for.
"""

from typing import TYPE_CHECKING, Any

from empirisk.certificates import dual_value, moment_value, softmax_value  # they register with `values.evaluate`
from empirisk.certificates.certify import certify, lightened, refute
from empirisk.certificates.class_gaps import ClassGaps, class_gaps
from empirisk.certificates.duality_gap import DualityGap, duality_gap
from empirisk.certificates.registry import KINDS, certificate_from_json, known_kinds, register
from empirisk.certificates.seal import from_sealed_json, sealed_json
from empirisk.certificates.stationarity import Stationarity, stationarity
from empirisk.certificates.unattained import UnattainedInfimum
from empirisk.homes import HOMES, at_home
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
    "known_kinds",
    "lightened",
    "moment_value",
    "refute",
    "register",
    "sealed_json",
    "softmax_value",
    "stationarity",
    *HOMES,
]

if not TYPE_CHECKING:  # which would take every name for one of these

    def __getattr__(name: str) -> Any:
        if name not in HOMES:
            raise AttributeError(f"module 'empirisk.certificates' has no attribute {name!r}")
        return at_home(name)


def __dir__() -> list[str]:
    return list(__all__)
