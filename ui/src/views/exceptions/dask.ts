// Dask's own failures in plain words. The type comes from outside: it is looked up, never trusted to be one of these.

const words = new Map([
  ['KilledWorker', 'Every worker that tried this task died while running it. Most often they ran out of memory: give workers more memory, or make partitions smaller. A crash in compiled code has the same effect.'],
  ['NoValidWorkerError', 'No worker meets what the task asks for: its resources, or the workers it is restricted to. A new worker that does not meet them cannot run it, either.'],
  ['NoWorkerError', 'The task waited too long for a worker that can run it. Either there was no worker, or none had the resources the task asks for.'],
  ['CancelledError', 'The client released the result, or disconnected, before the result was ready.'],
  ['FutureCancelledError', 'The client released the result, or disconnected, before the result was ready.'],
  ['FuturesCancelledError', 'The client released the results, or disconnected, before the results were ready.'],
  ['CommClosedError', 'A connection broke while data moved between workers. One of them may have died or been overloaded.'],
  ['TimeoutError', 'An answer did not come in time: a worker was too busy, the network too slow, or a process hung.'],
  ['ShuffleClosedError', 'A shuffle ended early, usually because one of its workers died. Dask restarts it automatically.'],
  ['P2PConsistencyError', 'The workers of a shuffle disagreed about which of them has which part, usually because one joined or left midway.'],
  ['P2POutOfDiskError', 'A worker’s disk filled up during a shuffle. Give it more disk space, or another temporary directory.'],
  ['worker-fail-hard', 'A worker hit an internal error and shut itself down. Its results in memory were recomputed elsewhere.'],
  ['invalid-worker-transition', 'A worker was told to do something that the task’s state does not allow: a bug in Dask, not in your code. What the worker knew is below, ready for a report to Dask’s developers.'],
  ['invalid-worker-task-state', 'A worker found a contradiction in its own record of a task: a bug in Dask, not in your code. What the worker knew is below, ready for a report to Dask’s developers.'],
  ['invalid-task-states', 'A worker found a contradiction in its own record of its tasks: a bug in Dask, not in your code. What the worker knew is below, ready for a report to Dask’s developers.'],
]);

/** What a failure of Dask’s own means; null where nothing is known of it. */
export function daskWords(exceptionType: string): string | null {
  return words.get(exceptionType.split('.').at(-1) ?? '') ?? null;
}
