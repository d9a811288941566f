-- What the plugin said that it shed, by kind.
select d.what, cast(min(total(d.count), 9007199254740991) as integer) as count
from dropped as d
join instance as i on i.id = d.instance_id
where i.cluster_id = :id
group by d.what
order by d.what
limit 1000
