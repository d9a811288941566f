-- What was deleted here may come again.
delete from deleted_cluster where scheduler_digest = :digest
