insert or ignore into inbox_taken_cluster (taken_id, cluster_id)
select :taken_id, id from cluster where scheduler_id = :scheduler_id
