-- The prefixes of the profiles of clusters in a window of time, most samples first.
select n.text as prefix, cast(min(total(p.samples), 9007199254740991) as integer) as samples
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
left join name as n on n.id = p.prefix_id
where
    (:from_micros is null or p.to_micros > :from_micros)
    and (:to_micros is null or p.from_micros < :to_micros)
group by p.prefix_id
order by samples desc, prefix
limit :limit
