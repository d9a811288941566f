-- Functions in profiles whose names contain all words of a text, those that begin with it first, then the newest; each with
-- the newest cluster that has it. Of very many the last that came are looked at, of those that begin with it and of the
-- others: a common part of a name says little. Clusters whose deletion was begun have none.
with begun as (
    select f.id, f.name
    from frame as f
    where f.name like :begun escape '\'
    order by f.id desc
    limit 1000
),
inside as (
    select f.id, f.name
    from frame as f
    where
        f.name like :first escape '\'
        and not exists (select 1 from json_each(:words) as w where f.name not like w.value escape '\')
    order by f.id desc
    limit 1000
),
matching as (
    select id, name from begun
    union
    select id, name from inside
),
found as (
    select
        m.name as text,
        max((
            select max(o.cluster_id) from cluster_frame as o
            where o.frame_id = m.id and o.cluster_id not in (select cluster_id from deletion where begun = 1)
        )) as newest
    from matching as m
    group by m.name
)
select
    c.id,
    c.shown_name,
    c.started_micros as at_micros,
    f.text,
    null as item,
    (
        select count(distinct o.cluster_id)
        from frame as g
        -- From the few functions of that name to their clusters, and never the other way round.
        cross join cluster_frame as o on o.frame_id = g.id
        where g.name = f.text and o.cluster_id not in (select cluster_id from deletion where begun = 1)
    ) as clusters
from (
    select * from found where newest is not null order by text not like :begun escape '\', newest desc, text limit :limit
) as f
join cluster as c on c.id = f.newest
order by f.text not like :begun escape '\', f.newest desc, f.text
