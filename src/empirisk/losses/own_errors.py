"""One sentence for whatever a user's own loss raises while it runs."""

from __future__ import annotations

from empirisk.capabilities import name_of
from empirisk.losses.laws.machine_code import reason_of
from empirisk.protocols import Unsupported


def explain(loss: object, error: Exception) -> Exception | None:
    """The exception to show instead; None where the loss is one of this package, or the error says enough."""
    is_ours = type(loss).__module__.partition(".")[0] == __package__.partition(".")[0]
    if is_ours or isinstance(error, (Unsupported, MemoryError)):
        return None
    said = f"the loss {name_of(loss)!r} raised {type(error).__name__}: {reason_of(str(error))}"
    return ValueError(f"{said}; er.check_loss finds out where")
