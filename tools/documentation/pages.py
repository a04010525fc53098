"""Every generated file of the documentation."""

from __future__ import annotations

from tools.documentation.bound_pictures import bound_pictures
from tools.documentation.constraints_page import constraints_page, set_pictures
from tools.documentation.learners_page import learners_page
from tools.documentation.losses_page import loss_pictures, losses_page

PICTURES = "pictures"


def pages() -> dict[str, str]:
    """The contents by path below docs/."""
    learners, regrets = learners_page()
    drawn = {**loss_pictures(), **set_pictures(), **regrets, **bound_pictures()}
    pictures = {f"{PICTURES}/{name}.svg": content for name, content in drawn.items()}
    return {"losses.md": losses_page(), "constraints.md": constraints_page(), "learners.md": learners, **pictures}
