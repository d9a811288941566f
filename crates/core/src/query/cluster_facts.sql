-- The facts of a cluster, and what the plugin cost in its last sample. Before the `cluster` record came, the switches
-- are not known: nothing is said to be off.
select
    f.cluster_class,
    f.scheduler_address,
    f.dashboard_url,
    f.python_version,
    f.python_path,
    f.os,
    f.architecture,
    coalesce(f.plugin_version, i.plugin_version, '') as plugin_version,
    coalesce(f.versions, '{}') as versions,
    coalesce(f.code_sent, true) as code_sent,
    coalesce(f.profile_sent, true) as profile_sent,
    coalesce(f.remote_close_allowed, false) as remote_close_allowed,
    coalesce(f.events_allow, '[]') as events_allow,
    s.beat_micros,
    s.sent_bytes,
    s.hook_errors
from cluster_total as t
left join cluster_fact as f on f.cluster_id = t.cluster_id
left join instance as i on i.id = t.instance_id
left join sample as s
    on s.instance_id = t.instance_id
    and s.seq = (select max(seq) from sample where instance_id = t.instance_id)
where t.cluster_id = :id
