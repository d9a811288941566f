delete from budget where id = :id
