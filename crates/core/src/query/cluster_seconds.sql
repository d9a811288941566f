-- Seconds by activity over all groups of a cluster.
select
    total(compute_seconds) as compute_seconds,
    total(transfer_seconds) as transfer_seconds,
    total(disk_read_seconds) as disk_read_seconds,
    total(disk_write_seconds) as disk_write_seconds,
    total(deserialize_seconds) as deserialize_seconds,
    total(other_seconds) as other_seconds
from task_group
where cluster_id = :id
