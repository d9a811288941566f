-- Texts of exceptions that were last seen before :before and did not come later. Which batch brought one is told by its time.
with late as materialized (
    select b.first_at_micros, b.last_at_micros
    from instance as i
    join batch as b on b.instance_id = i.id
    where i.cluster_id = :cluster_id and b.received_micros >= :before and b.first_at_micros < :before
)
update exception
set message_sealed = null, traceback_sealed = null, details_sealed = null
where
    id in (
        select x.id
        from exception as x
        where
            x.cluster_id = :cluster_id
            and x.last_seen_micros < :before
            and coalesce(x.message_sealed, x.traceback_sealed, x.details_sealed) is not null
            and not exists (select 1 from late as l where x.at_micros between l.first_at_micros and l.last_at_micros)
        limit :limit
    )
