-- The facts of a cluster, and what the plugin cost in its last sample. Before the `cluster` record came, the switches
-- are not known: nothing is said to be off.
select
    c.said_user,
    f.cluster_class,
    f.scheduler_address,
    f.dashboard_url,
    f.python_version,
    f.python_path,
    f.os,
    f.architecture,
    coalesce(f.plugin_version, i.plugin_version, '') as plugin_version,
    coalesce(f.versions, '{}') as versions,
    coalesce(f.host_versions, '{}') as host_versions,
    coalesce(f.mismatches, '[]') as mismatches,
    coalesce(f.unavailable, '[]') as unavailable,
    f.idle_timeout_micros,
    o.code_off_micros,
    o.profile_off_micros,
    o.exceptions_off_micros,
    o.names_off_micros,
    o.user_off_micros,
    o.host_off_micros,
    o.paths_off_micros,
    o.events_off_micros,
    coalesce(f.remote_close_allowed, false) as remote_close_allowed,
    coalesce(f.events_allow, '[]') as events_allow,
    s.beat_micros,
    s.hook_micros,
    s.sent_bytes,
    s.hook_errors,
    s.waiting_records,
    s.shed_records,
    s.spooled_bytes
from cluster_total as t
join cluster as c on c.id = t.cluster_id
left join cluster_fact as f on f.cluster_id = t.cluster_id
left join cluster_switch as o on o.cluster_id = t.cluster_id
left join instance as i on i.id = t.instance_id
left join sample as s
    on s.instance_id = t.instance_id
    and s.seq = (select max(seq) from sample where instance_id = t.instance_id)
where t.cluster_id = :id
