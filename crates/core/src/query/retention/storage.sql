-- What of clusters decides on what stays in the file.
select
    (select count(*) from cluster where pinned_micros is not null) as pinned,
    (select count(*) from deleted_cluster) as deleted_clusters,
    (select coalesce(sum(batches), 0) from deleted_cluster) as deleted_batches,
    (select worked_micros from retention_clock) as worked_micros
