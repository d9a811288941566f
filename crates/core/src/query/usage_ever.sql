-- What was ever used.
select clusters, compute_micros, thread_micros, tasks_completed, tasks_erred, result_bytes, workers_peak, last_heard_micros
from usage_ever
