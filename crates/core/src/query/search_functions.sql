-- Prefixes that contain all words of a text, those that begin with it first, then the newest; each with the newest cluster that ran it,
-- of those whose deletion was not begun.
with found as (
    select
        n.id,
        n.text,
        (
            select max(p.cluster_id) from cluster_prefix as p
            where p.prefix_id = n.id and p.cluster_id not in (select cluster_id from deletion where begun = 1)
        ) as newest
    from name as n
    where
        n.text like :first escape '\'
        and not exists (select 1 from json_each(:words) as w where n.text not like w.value escape '\')
)
select
    c.id,
    c.shown_name,
    c.started_micros as at_micros,
    f.text,
    null as item,
    (
        select count(*) from cluster_prefix as p
        where p.prefix_id = f.id and p.cluster_id not in (select cluster_id from deletion where begun = 1)
    ) as clusters
from (
    select * from found where newest is not null order by text not like :begun escape '\', newest desc limit :limit
) as f
join cluster as c on c.id = f.newest
order by f.text not like :begun escape '\', f.newest desc
