-- Whether a cluster was deleted here.
select exists (select 1 from deleted_cluster where scheduler_digest = :digest)
