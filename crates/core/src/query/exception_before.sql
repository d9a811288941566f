-- The first cluster with a failure, and the last before it that had tasks of the same prefix and not this failure: numbers
-- rise as clusters come. Both are samples where `:id` is one, and not where it is none.
with first as (
    select e.cluster_id, c.started_micros, c.sample, g.prefix_id
    from exception as e
    join cluster as c on c.id = e.cluster_id
    join task_group as g on g.cluster_id = e.cluster_id and g.group_id = e.group_id
    where e.fingerprint = :fingerprint and c.sample = (select o.sample from cluster as o where o.id = :id)
    order by e.first_seen_micros, e.cluster_id
    limit 1
)
select
    c.id as cluster_id,
    c.shown_name as cluster_name,
    c.started_micros,
    n.text as prefix,
    w.versions as versions_without,
    w.python_version as python_without,
    t.versions as versions_with,
    t.python_version as python_with
from first as f
join cluster as c on c.id = (
    select p.cluster_id
    from cluster_prefix as p
    cross join cluster as o on o.id = p.cluster_id
    where
        p.prefix_id = f.prefix_id
        and p.cluster_id < f.cluster_id
        and o.sample = f.sample
        and o.started_micros < f.started_micros
        -- By the cluster, whose failures are few, and not by the kind, which may be in all of them.
        and not exists (select 1 from exception as x where x.cluster_id = p.cluster_id and +x.fingerprint = :fingerprint)
    order by p.cluster_id desc
    limit 1
)
join name as n on n.id = f.prefix_id
left join cluster_fact as w on w.cluster_id = c.id
left join cluster_fact as t on t.cluster_id = f.cluster_id
