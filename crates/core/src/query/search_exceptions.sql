-- Types of exceptions that contain all words of a text, the last seen first; each with the exception that was seen last,
-- of clusters whose deletion was not begun.
with found as (
    select
        n.id,
        n.text,
        (
            select max(x.last_seen_micros) from exception as x
            where x.type_id = n.id and x.cluster_id not in (select cluster_id from deletion where begun = 1)
        ) as at_micros
    from name as n
    where
        n.text like :first escape '\'
        and not exists (select 1 from json_each(:words) as w where n.text not like w.value escape '\')
)
select
    c.id,
    c.shown_name,
    f.at_micros,
    f.text,
    e.exception_id as item,
    (
        select count(distinct x.cluster_id) from exception as x
        where x.type_id = f.id and x.cluster_id not in (select cluster_id from deletion where begun = 1)
    ) as clusters
from (select * from found where at_micros is not null order by at_micros desc limit :limit) as f
join exception as e on e.id = (
    select x.id from exception as x
    where x.type_id = f.id and x.cluster_id not in (select cluster_id from deletion where begun = 1)
    order by x.last_seen_micros desc, x.id desc
    limit 1
)
join cluster as c on c.id = e.cluster_id
order by f.at_micros desc
