-- Code of computations from before :before that did not come later. Which batch brought it is told by its time.
with late as materialized (
    select b.first_at_micros, b.last_at_micros
    from instance as i
    join batch as b on b.instance_id = i.id
    where i.cluster_id = :cluster_id and b.received_micros >= :before and b.first_at_micros < :before
)
delete from computation_code
where
    cluster_id = :cluster_id
    and computation_id in (
        select c.computation_id
        from computation_code as c
        where
            c.cluster_id = :cluster_id
            and c.at_micros < :before
            and not exists (select 1 from late as l where c.at_micros between l.first_at_micros and l.last_at_micros)
        limit :limit
    )
