-- Texts of exceptions that were last seen before :before and did not come later. Which report brought one is told by its
-- number.
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
            and not exists (
                select 1
                from instance as i
                where
                    i.cluster_id = x.cluster_id
                    and i.rank = x.rank
                    and (
                        select b.received_micros
                        from batch as b
                        where b.instance_id = i.id and b.first_seq <= x.seq
                        order by b.first_seq desc
                        limit 1
                    ) >= :before
            )
        limit :limit
    )
