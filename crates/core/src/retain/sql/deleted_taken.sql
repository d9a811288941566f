-- Files that told of it, whose names may tell of it, too.
delete from inbox_taken
where id in (select taken_id from inbox_taken_cluster where cluster_id = :cluster_id)
