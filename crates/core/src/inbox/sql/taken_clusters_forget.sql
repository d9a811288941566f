delete from inbox_taken_cluster where taken_id = :taken_id
