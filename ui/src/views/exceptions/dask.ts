// Dask's own failures in plain words. The type comes from outside: it is looked up, never trusted to be one of these.

const words = new Map([
  ['KilledWorker', 'Every worker that tried this task died while it ran. Most often they ran out of memory: give workers more of it, or make the partitions smaller. A crash in compiled code does the same.'],
  ['NoValidWorkerError', 'No worker fits what the task asks for: its resources, or the workers it is restricted to. Nobody who joins without them can run it.'],
  ['NoWorkerError', 'The task waited too long for a worker that may run it. Either none was there, or none had the resources it asks for.'],
  ['CancelledError', 'Somebody who held the result let it go, or its client went away, before it was there.'],
  ['FutureCancelledError', 'Somebody who held the result let it go, or its client went away, before it was there.'],
  ['FuturesCancelledError', 'Somebody who held the results let them go, or their client went away, before they were there.'],
  ['CommClosedError', 'A connection broke while data moved between workers. One of them may have died or been overloaded.'],
  ['TimeoutError', 'Somebody did not answer in time: a worker too busy, a network too slow, or a process that stands still.'],
  ['ShuffleClosedError', 'A shuffle ended early, mostly since one of its workers died. Dask starts it again by itself.'],
  ['P2PConsistencyError', 'The workers of a shuffle disagreed on who has which part, mostly since one of them came or went in the middle.'],
  ['P2POutOfDiskError', 'A worker’s disk was full while it shuffled: give it more, or another temporary directory.'],
  ['worker-fail-hard', 'A worker met an error in its own machinery and ended itself. What it had in memory was computed again elsewhere.'],
  ['invalid-worker-transition', 'A worker was told to do with a task what its state does not allow: a fault in Dask, not in your code. What it knew is below, fit for a report to Dask’s developers.'],
  ['invalid-worker-task-state', 'A worker found its own record of a task to be contradictory: a fault in Dask, not in your code. What it knew is below, fit for a report to Dask’s developers.'],
  ['invalid-task-states', 'A worker found its own record of its tasks to be contradictory: a fault in Dask, not in your code. What it knew is below, fit for a report to Dask’s developers.'],
]);

/** What a failure of Dask’s own means; null where nothing is known of it. */
export function daskWords(exceptionType: string): string | null {
  return words.get(exceptionType.split('.').at(-1) ?? '') ?? null;
}
