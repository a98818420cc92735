"""Work that is spread over processes of this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")


def spread(do: Callable[[Task], Done], tasks: Sequence[Task], processes: int) -> Iterator[Done]:
    """Do tasks, in as many processes as there are for them, and yield what they came to, in order.

    The other processes end with this one, however it ends, and when one of the tasks fails.

    Args:
        do: Does one; with several processes it must pickle.
        tasks: The tasks.
        processes: Number of processes; with one, it is this.

    Raises:
        ChildProcessError: a process ended before its work was done.
    """
    workers = min(processes, len(tasks))
    if workers <= 1:
        yield from map(do, tasks)
        return
    # Spawned, not forked: the fork of a process in which torch runs threads may hang.
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    with watched, held, ProcessPoolExecutor(workers, context, _begin, (watched,)) as pool:
        try:
            with _interruptions_later():
                waiting = deque(pool.submit(do, task) for task in tasks)
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ChildProcessError(
                f"one of {workers} processes was ended from outside, perhaps for want of memory; "
                f"the same command with fewer processes needs less"
            ) from None
        except BaseException:
            # No task may be cancelled before: a pool whose processes have ended stumbles over it.
            held.close()
            raise


@contextmanager
def _interruptions_later() -> Iterator[None]:
    """Hold interruptions back while processes are spawned; these never hear of any."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(watched: Connection) -> None:
    """Make ready one process of several.

    It has one thread of torch, which is loaded or will be, or neither.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """End this process, in the middle of its work, once the other end of a pipe is closed."""
    watched.poll(None)
    os._exit(1)
