-- Files that are still there are read once more, to no effect.
delete from inbox_file where scheduler_id = :scheduler_id
