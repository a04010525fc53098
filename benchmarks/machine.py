"""What the figures were measured on, and how busy others kept it: no paths, no host names."""

import os
import platform
import time
from pathlib import Path

from benchmarks import peers

# Busier than this share of one core, by others, and a row is marked as measured under load.
LOADED = 0.15


def description() -> dict:
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": peers.versions(),
    }


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def busy_seconds() -> float | None:
    """CPU seconds spent by all processes since boot, stolen time included; None where the system does not say."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    user, nice, system, _, _, irq, soft_irq, steal = map(int, fields)
    return (user + nice + system + irq + soft_irq + steal) / os.sysconf("SC_CLK_TCK")


class LoadMeter:
    """Adds up, over the timed stretches, the wall time and the CPU time that others used meanwhile."""

    def __init__(self):
        self.wall = 0.0
        self.others = 0.0

    def start(self):
        self._start = (time.perf_counter(), time.process_time(), busy_seconds())

    def stop(self) -> tuple[float, float]:
        """The wall and own CPU seconds since `start`."""
        start_wall, start_own, start_busy = self._start
        wall, own, busy = time.perf_counter() - start_wall, time.process_time() - start_own, busy_seconds()
        if busy is not None and start_busy is not None:
            self.wall += wall
            # May be negative for one short stretch (the clock ticks in hundredths), not for their sum.
            self.others += busy - start_busy - own
        return wall, own

    def foreign_cores(self) -> float | None:
        """The average number of cores that others kept busy."""
        return max(0.0, self.others / self.wall) if self.wall > 0.0 else None
