-- The names that clusters give their users, and whom each counts as; those with the most clusters first. Clusters that are over
-- are counted along an index by user and host; of the others, which every batch changes, there are few.
with told as (
    select t.said_user as user, t.host, count(*) as clusters, max(t.seen_micros) as seen_micros
    from cluster_total as t indexed by cluster_total_users
    where t.stop_at_micros is not null and t.said_user is not null
    group by t.said_user, t.host
    union all
    select t.said_user, t.host, 1, t.seen_micros
    from cluster_total as t indexed by cluster_total_alive
    where t.stop_at_micros is null and t.said_user is not null
),
named as (
    select
        user,
        sum(clusters) as clusters,
        max(seen_micros) as seen_micros,
        json_group_array(distinct host) filter (where host is not null) as hosts
    from told
    group by user
)
select
    n.user,
    m.person,
    n.clusters,
    n.seen_micros,
    n.hosts
from named as n
left join user_merge as m on m.user = n.user
union all
-- Merged, and not on the record any longer.
select m.user, m.person, 0, null, '[]' from user_merge as m where m.user not in (select user from named)
order by 3 desc, 1
limit :limit
