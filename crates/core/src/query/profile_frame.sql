select name, file, line from frame where id = :id
