-- The file, and what of clusters decides on what stays in it.
select
    (select page_size from pragma_page_size) as page_bytes,
    (select page_count from pragma_page_count) as pages,
    (select freelist_count from pragma_freelist_count) as free_pages,
    (select count(*) from cluster where pinned_micros is not null) as pinned,
    (select count(*) from deleted_cluster) as deleted_clusters,
    (select coalesce(sum(batches), 0) from deleted_cluster) as deleted_batches,
    (select worked_micros from retention_clock) as worked_micros
