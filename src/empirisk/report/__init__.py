"""The page that shows a fit: what was asked, the proof, the trace, the margins and the weights."""

from empirisk.report.page import write_report

__all__ = ["write_report"]
