-- The names that clusters give their users, and whom each counts as; those with the most clusters first.
with named as (
    select
        c.said_user as user,
        count(*) as clusters,
        max(t.seen_micros) as seen_micros,
        json_group_array(distinct c.host) filter (where c.host is not null) as hosts
    from cluster as c
    join cluster_total as t on t.cluster_id = c.id
    where c.said_user is not null
    group by c.said_user
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
