-- The first cluster with a failure, and the last before it that had tasks of the same prefix and not this failure: numbers
-- rise as clusters come. Both are samples where `:id` is one, and not where it is none. Of a failure that is everywhere the
-- thousand that were over first are looked at, and of clusters before it the last thousand.
with over_first as (
    select e.cluster_id, e.group_id, e.first_seen_micros
    from exception as e
    where e.fingerprint = :fingerprint and e.cluster_id not in (select cluster_id from deletion where begun = 1)
    order by e.last_seen_micros
    limit 1000
),
first as (
    select s.cluster_id, c.started_micros, c.sample, g.prefix_id
    -- In order before anything is looked up: one is enough.
    from (select * from over_first order by first_seen_micros, cluster_id limit 1000) as s
    cross join cluster as c on c.id = s.cluster_id
    cross join task_group as g on g.cluster_id = s.cluster_id and g.group_id = s.group_id
    where c.sample = (select o.sample from cluster as o where o.id = :id)
    order by s.first_seen_micros, s.cluster_id
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
    from (
        select b.cluster_id
        from cluster_prefix as b
        where b.prefix_id = f.prefix_id and b.cluster_id < f.cluster_id
        order by b.cluster_id desc
        limit 1000
    ) as p
    cross join cluster as o on o.id = p.cluster_id
    where
        o.sample = f.sample
        and o.started_micros < f.started_micros
        and p.cluster_id not in (select cluster_id from deletion where begun = 1)
        -- By the cluster, whose failures are few, and not by the kind, which may be in all of them.
        and not exists (select 1 from exception as x where x.cluster_id = p.cluster_id and +x.fingerprint = :fingerprint)
    order by p.cluster_id desc
    limit 1
)
join name as n on n.id = f.prefix_id
left join cluster_fact as w on w.cluster_id = c.id
left join cluster_fact as t on t.cluster_id = f.cluster_id
