-- What the plugin cost over all samples of a cluster.
select
    cast(min(total(s.beat_micros), 9007199254740991) as integer) as all_beat_micros,
    cast(min(total(s.hook_micros), 9007199254740991) as integer) as all_hook_micros,
    cast(min(total(s.sent_bytes), 9007199254740991) as integer) as all_sent_bytes,
    max(s.loop_share) as loop_share_peak
from instance as i
cross join sample as s on s.instance_id = i.id
where i.cluster_id = :id
