-- What the latest `cluster` record said, and what all of them switched off.
select
    c.scheduler_id, c.record_at_micros, c.record_rank, c.said_started_micros, c.name, c.said_user as user, c.host, c.project, c.tags,
    f.cluster_class, f.scheduler_address, f.dashboard_url, f.python_version, f.python_path, f.os, f.architecture,
    f.plugin_version, f.versions, f.host_versions, f.mismatches, f.unavailable, f.idle_timeout_micros,
    t.interval_micros, t.last_heard_micros,
    s.code_off_micros, s.profile_off_micros, s.exceptions_off_micros, s.names_off_micros, s.user_off_micros,
    s.host_off_micros, s.paths_off_micros, coalesce(s.events_allow, '[]') as events_allow
from cluster as c
join cluster_fact as f on f.cluster_id = c.id
join cluster_total as t on t.cluster_id = c.id
left join cluster_switch as s on s.cluster_id = c.id
where c.id = :cluster_id
