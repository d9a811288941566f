-- The runs of the plugin in a cluster, the earliest first.
select
    i.id, i.instance_id, i.rank, i.plugin_version, i.stop_at_micros, i.stop_reason,
    (select max(b.last_at_micros) from batch as b where b.instance_id = i.id) as last_at_micros
from instance as i
where i.cluster_id = :cluster_id
order by i.first_at_micros, i.instance_id
