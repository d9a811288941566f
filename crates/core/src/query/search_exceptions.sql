-- Types of exceptions that contain all words of a text, the last seen first; each with the exception that was seen last.
with found as (
    select
        n.id,
        n.text,
        (select max(last_seen_micros) from exception where type_id = n.id) as at_micros
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
    (select count(distinct cluster_id) from exception where type_id = f.id) as clusters
from (select * from found where at_micros is not null order by at_micros desc limit :limit) as f
join exception as e on e.id = (select id from exception where type_id = f.id order by last_seen_micros desc, id desc limit 1)
join cluster as c on c.id = e.cluster_id
order by f.at_micros desc
