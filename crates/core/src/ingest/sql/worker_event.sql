insert or ignore into worker_event (
    instance_id, seq, at_micros, worker_id, event, address, name, host, cause, expected, threads, memory_limit_bytes,
    resources, nanny
)
values (
    :instance_id, :seq, :at_micros, :worker_id, :event, :address, :name, :host, :cause, :expected, :threads, :memory_limit_bytes,
    :resources, :nanny
)
