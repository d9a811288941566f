-- Failures that are the same one, the last seen first. The page is chosen and summed by what the index has; the rest is asked for
-- the kinds on it alone, whatever any one cluster sent. Clusters whose deletion was begun have none. Where no text is asked for,
-- `iif` keeps SQLite from comparing any, for which it would read the row of each failure: in a chain of `or` it leaves lists for
-- last, and with them the question whether there is a text.
with recorded as (
    -- Clusters that are told from a recording. The range is that of `Sample-`, so that the index of ids answers.
    select c.id from cluster as c where c.scheduler_id >= 'Sample-' and c.scheduler_id < 'Sample.'
),
kind as (
    -- Of each kind the row with the most `last_seen_micros`: SQLite takes bare columns from it.
    select e.fingerprint, e.id as newest_id, max(e.last_seen_micros) as last_seen_micros
    from exception as e
    where
        (:id is null or e.cluster_id = :id)
        -- Asked in two halves: while no deletion goes on, the index is enough.
        and (
            not exists (select 1 from deletion where begun = 1)
            or e.cluster_id not in (select cluster_id from deletion where begun = 1)
        )
        and (:from_micros is null or e.last_seen_micros >= :from_micros)
        and (:to_micros is null or e.first_seen_micros < :to_micros)
        and (:user is null or e.cluster_id in (select c.id from cluster as c where c.user = :user))
        and (:sample is null or :sample = (e.cluster_id in (select r.id from recorded as r)))
        and (:group_id is null or e.group_id = :group_id)
        and (:worker is null or e.worker = :worker)
        and iif(
            :text is null,
            true,
            e.type_id in (select n.id from name as n where n.text like :text escape '\')
            or e.group_name like :text escape '\'
            or e.worker like :text escape '\'
            or (:id is null and e.cluster_id in (select c.id from cluster as c where c.shown_name like :text escape '\'))
        )
    group by e.fingerprint
),
page as materialized (
    select *, count(*) over () as total
    from kind
    order by last_seen_micros desc, fingerprint
    limit :limit offset :offset
),
-- Each count may be the largest that the wire allows: their sum is not, and stays what a page can read.
spent as materialized (
    select
        p.fingerprint,
        min(e.first_seen_micros) as first_seen_micros,
        cast(min(total(e.count), 9007199254740991) as integer) as count,
        cast(min(total(e.dependents), 9007199254740991) as integer) as dependents,
        count(*) as places,
        count(distinct e.cluster_id) as clusters
    from page as p
    cross join exception as e on e.fingerprint = p.fingerprint
    where
        (:id is null or e.cluster_id = :id)
        and e.cluster_id not in (select cluster_id from deletion where begun = 1)
        and (:from_micros is null or e.last_seen_micros >= :from_micros)
        and (:to_micros is null or e.first_seen_micros < :to_micros)
        and (:user is null or e.cluster_id in (select c.id from cluster as c where c.user = :user))
        and (:sample is null or :sample = (e.cluster_id in (select r.id from recorded as r)))
        and (:group_id is null or e.group_id = :group_id)
        and (:worker is null or e.worker = :worker)
        and iif(
            :text is null,
            true,
            e.type_id in (select n.id from name as n where n.text like :text escape '\')
            or e.group_name like :text escape '\'
            or e.worker like :text escape '\'
            or (:id is null and e.cluster_id in (select c.id from cluster as c where c.shown_name like :text escape '\'))
        )
    group by p.fingerprint
),
-- Where nothing is left out, what was asked is what there ever was.
ever as materialized (
    select
        p.fingerprint,
        count(distinct e.cluster_id) as ever_clusters,
        min(e.first_seen_micros) as ever_first_seen_micros
    from page as p
    cross join exception as e on e.fingerprint = p.fingerprint
    where
        coalesce(:id, :from_micros, :to_micros, :user, :group_id, :worker, :text) is not null
        and (:sample is null or :sample = (e.cluster_id in (select r.id from recorded as r)))
        and e.cluster_id not in (select cluster_id from deletion where begun = 1)
    group by p.fingerprint
),
newest as materialized (
    select p.*, e.cluster_id, e.group_id, e.worker
    from page as p
    cross join exception as e on e.id = p.newest_id
),
-- What happened to workers is walked once for the page, not once a kind.
met as materialized (
    select i.cluster_id, w.address, min(w.worker_id) as worker_id
    from instance as i
    cross join worker_event as w on w.instance_id = i.id
    where
        i.cluster_id in (select n.cluster_id from newest as n)
        and w.address in (select n.worker from newest as n)
    group by i.cluster_id, w.address
)
select
    n.fingerprint,
    n.last_seen_micros,
    s.first_seen_micros,
    s.count,
    s.dependents,
    s.places,
    s.clusters,
    coalesce(v.ever_clusters, s.clusters) as ever_clusters,
    coalesce(v.ever_first_seen_micros, s.first_seen_micros) as ever_first_seen_micros,
    (
        -- Of the last that began: more are not looked through.
        select m.computation_id
        from (
            select k.computation_id, k.groups
            from computation as k
            where k.cluster_id = n.cluster_id
            order by k.start_micros desc, k.computation_id desc
            limit 200
        ) as m
        where exists (select 1 from json_each(m.groups) as g where g.value = n.group_id)
        limit 1
    ) as computation_id,
    m.worker_id,
    n.newest_id as id,
    n.total
from newest as n
join spent as s on s.fingerprint = n.fingerprint
left join ever as v on v.fingerprint = n.fingerprint
left join met as m on m.cluster_id = n.cluster_id and m.address = n.worker
order by n.last_seen_micros desc, n.fingerprint
