-- Notes which bundle tells a cluster, where an earlier version did not.
update imported
set told_by = :told_by
where
    told_by is null
    and cluster_id in (select id from cluster where scheduler_id in (select value from json_each(:ids)))
