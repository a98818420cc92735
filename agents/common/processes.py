"""Spread work over processes of this machine."""

from __future__ import annotations

import os
import pickle
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

from sjavs_env.core.errors import told

Task = TypeVar("Task")
Done = TypeVar("Done")


def check_sendable(what: str, value: object) -> None:
    """Check, before anything is done, that a value can be sent to another process.

    Raises:
        ValueError: it cannot be pickled; the sentence says why.
    """
    try:
        pickle.loads(pickle.dumps(value))
    except Exception as error:  # whatever the value's own code raises
        raise ValueError(
            f"{what} cannot be sent to other processes: {told(error)}; use one process, or a class "
            "that pickles"
        ) from None


def spread(do: Callable[[Task], Done], tasks: Sequence[Task], processes: int) -> Iterator[Done]:
    """Do tasks in several worker processes and yield their results in order.

    The worker processes end when this process ends, however it ends, and when a task fails.

    Args:
        do: Does one task. With several processes it must pickle.
        tasks: The tasks.
        processes: Number of processes. With 1, this process does the tasks.

    Raises:
        ChildProcessError: a worker process ended before its work was done.
    """
    workers = min(processes, len(tasks))
    if workers <= 1:
        yield from map(do, tasks)
        return
    # Spawn, do not fork: a fork may hang when torch runs threads in the parent process.
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
                f"one of {workers} processes was killed, perhaps because memory ran out; "
                f"the same command needs less memory with fewer processes"
            ) from None
        except BaseException:
            # Cancel no task: this ends the worker processes, and the pool then fails on a
            # cancelled task.
            held.close()
            raise


@contextmanager
def _interruptions_later() -> Iterator[None]:
    """Block SIGINT while worker processes are spawned.

    They inherit the block, so they never receive it. This process receives it afterwards.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(watched: Connection) -> None:
    """Prepare a worker process: one thread of torch, and an end together with its parent."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """End this process at once, even in the middle of a task, when the pipe's other end closes."""
    watched.poll(None)
    os._exit(1)
