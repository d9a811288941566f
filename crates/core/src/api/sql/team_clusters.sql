-- Numbers of the clusters of these schedulers, also of those whose deletion was begun.
select id from cluster where scheduler_id in (select value from json_each(:ids)) order by id limit 100000
