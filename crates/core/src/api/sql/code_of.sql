-- By what the code of a computation is known; null where it was stored without.
select fingerprint from computation_code where cluster_id = :cluster_id and computation_id = :computation_id
