"""Every generated file of the documentation."""

from __future__ import annotations

from tools.documentation.constraints_page import constraints_page, set_pictures
from tools.documentation.losses_page import loss_pictures, losses_page

PICTURES = "pictures"


def pages() -> dict[str, str]:
    """The contents by path below docs/."""
    pictures = {f"{PICTURES}/{name}.svg": content for name, content in {**loss_pictures(), **set_pictures()}.items()}
    return {"losses.md": losses_page(), "constraints.md": constraints_page(), **pictures}
