-- Categories that clusters said to be off, with how many said so and the newest of them.
with off as (
    select cluster_id, 'code' as category from cluster_switch where code_off_micros is not null
    union all
    select cluster_id, 'profile' from cluster_switch where profile_off_micros is not null
    union all
    select cluster_id, 'exceptions' from cluster_switch where exceptions_off_micros is not null
    union all
    select cluster_id, 'names' from cluster_switch where names_off_micros is not null
    union all
    select cluster_id, 'user' from cluster_switch where user_off_micros is not null
    union all
    select cluster_id, 'host' from cluster_switch where host_off_micros is not null
    union all
    select cluster_id, 'paths' from cluster_switch where paths_off_micros is not null
    union all
    select cluster_id, 'events' from cluster_switch where events_off_micros is not null
),
counted as (
    select category, count(*) as clusters, max(cluster_id) as cluster_id
    from off
    group by category
)
select n.category, n.clusters, n.cluster_id, c.name as cluster
from counted as n
join cluster as c on c.id = n.cluster_id
order by n.clusters desc, n.category
limit :limit
