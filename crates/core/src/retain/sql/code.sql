-- Code of computations from before :before that did not come later; what stands in braces is put in by came.rs.
delete from computation_code
where
    cluster_id = :cluster_id
    and computation_id in (
        select c.computation_id
        from computation_code as c
        where
            c.cluster_id = :cluster_id
            and c.at_micros < :before
            and not '{c came later}'
        limit :limit
    )
