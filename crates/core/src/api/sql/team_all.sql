-- Of every cluster the id of its scheduler, also of those whose deletion was begun.
select scheduler_id from cluster order by scheduler_id limit 10000000
