-- Runs of the plugin whose clusters were heard since a moment of this machine's clock, the newest first, and how long before it came
-- each one's newest batches ended, by the two clocks. What came in a file or a bundle tells nothing of clocks, and samples are Bobbin's own.
-- A cluster is heard when a batch comes that it sends itself; one from a file was heard when it was made, before it came.
with heard as (
    select i.id, i.plugin_version, t.last_heard_micros
    from cluster_total as t
    join cluster as c on c.id = t.cluster_id
    join instance as i on i.cluster_id = c.id
    where
        t.last_heard_micros >= :since_micros
        and c.sample = 0
        and not exists (select 1 from imported as b where b.cluster_id = c.id)
    order by t.last_heard_micros desc, i.id desc
    limit :limit
)
select
    h.plugin_version,
    count(b.first_seq) as batches,
    min(b.received_micros - b.last_at_micros) as least_micros,
    max(b.received_micros - b.last_at_micros) as most_micros,
    max(b.last_at_micros) - min(b.last_at_micros) as apart_micros
from heard as h
left join batch as b
    on b.instance_id = h.id
    and b.received_micros <= h.last_heard_micros
    and b.first_seq in (select n.first_seq from batch as n where n.instance_id = h.id order by n.first_seq desc limit 5)
group by h.id
order by h.last_heard_micros desc, h.id desc
