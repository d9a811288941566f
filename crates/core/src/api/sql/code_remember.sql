-- The code that a computation had is stored again when it comes.
delete from code_forgotten
where
    fingerprint = (
        select f.fingerprint from computation_forgotten as f
        where f.cluster_id = :cluster_id and f.computation_id = :computation_id
    )
