-- Texts of exceptions that were last seen before :before and did not come later; what stands in braces is put in by
-- came.rs.
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
            and not '{x came later}'
        limit :limit
    )
