"""Work that is spread over processes of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")


def spread(do: Callable[[Task], Done], tasks: Sequence[Task], processes: int) -> Iterator[Done]:
    """Do tasks, in as many processes as there are for them, and yield what they came to, in order.

    Args:
        do: Does one; with several processes it must pickle.
        tasks: The tasks.
        processes: Number of processes; with one, it is this.
    """
    workers = min(processes, len(tasks))
    if workers <= 1:
        yield from map(do, tasks)
        return
    # Spawned, not forked: the fork of a process in which torch runs threads may hang.
    with ProcessPoolExecutor(workers, get_context("spawn"), _one_thread) as pool:
        yield from pool.map(do, tasks)


def _one_thread() -> None:
    """Keep a process of several to one thread of torch, which is loaded or will be, or neither."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
