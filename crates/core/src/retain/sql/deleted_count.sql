-- Counts a batch of a cluster that was deleted; no row is changed if it was not.
update deleted_cluster set batches = batches + 1 where scheduler_digest = :digest
