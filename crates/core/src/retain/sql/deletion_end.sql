-- With the row goes what still hangs on it.
delete from cluster where id = :cluster_id
