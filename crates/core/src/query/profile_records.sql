-- The profiles of clusters in a window of time and of prefixes, the newest first.
select
    i.cluster_id, p.instance_id, p.seq, p.from_micros, p.to_micros, p.samples, p.sample_micros, p.unattributed
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
where
    (:prefixes is null or p.prefix_id in (
        select n.id from json_each(:prefixes) as prefix cross join name as n on n.text = prefix.value
    ))
    and (:from_micros is null or p.to_micros > :from_micros)
    and (:to_micros is null or p.from_micros < :to_micros)
order by p.to_micros desc, p.instance_id, p.seq
limit :limit
