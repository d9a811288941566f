-- The profiles of clusters in a window of time and of prefixes, the newest first.
select
    i.cluster_id, p.instance_id, p.seq, p.from_micros, p.to_micros, p.samples, p.sample_micros, p.unattributed
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
left join name as n on n.id = p.prefix_id
where
    (:prefixes is null or n.text in (select value from json_each(:prefixes)))
    and (:from_micros is null or p.to_micros > :from_micros)
    and (:to_micros is null or p.from_micros < :to_micros)
order by p.to_micros desc, p.instance_id, p.seq
limit :limit
