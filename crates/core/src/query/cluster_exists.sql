select id from cluster where id = :id
