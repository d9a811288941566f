-- The code of one computation, and of all that the same code started.
delete from computation_code
where fingerprint = :fingerprint or (cluster_id = :cluster_id and computation_id = :computation_id)
