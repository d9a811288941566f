select count(*) from task_group where cluster_id = :id
