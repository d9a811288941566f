-- Categories that clusters said to be off, with how many said so and the newest of them. Clusters are gone through once, and few
-- said so.
with counted as materialized (
    select
        count(code_off_micros) as code,
        max(cluster_id) filter (where code_off_micros is not null) as code_id,
        count(profile_off_micros) as profile,
        max(cluster_id) filter (where profile_off_micros is not null) as profile_id,
        count(exceptions_off_micros) as exceptions,
        max(cluster_id) filter (where exceptions_off_micros is not null) as exceptions_id,
        count(names_off_micros) as names,
        max(cluster_id) filter (where names_off_micros is not null) as names_id,
        count(user_off_micros) as user,
        max(cluster_id) filter (where user_off_micros is not null) as user_id,
        count(host_off_micros) as host,
        max(cluster_id) filter (where host_off_micros is not null) as host_id,
        count(paths_off_micros) as paths,
        max(cluster_id) filter (where paths_off_micros is not null) as paths_id,
        count(events_off_micros) as events,
        max(cluster_id) filter (where events_off_micros is not null) as events_id
    from cluster_switch
    where coalesce(
        code_off_micros, profile_off_micros, exceptions_off_micros, names_off_micros, user_off_micros,
        host_off_micros, paths_off_micros, events_off_micros
    ) is not null
),
off (category, clusters, cluster_id) as (
    select 'code', code, code_id from counted
    union all
    select 'profile', profile, profile_id from counted
    union all
    select 'exceptions', exceptions, exceptions_id from counted
    union all
    select 'names', names, names_id from counted
    union all
    select 'user', user, user_id from counted
    union all
    select 'host', host, host_id from counted
    union all
    select 'paths', paths, paths_id from counted
    union all
    select 'events', events, events_id from counted
)
select o.category, o.clusters, o.cluster_id, c.name as cluster
from off as o
join cluster as c on c.id = o.cluster_id
order by o.clusters desc, o.category
limit :limit
