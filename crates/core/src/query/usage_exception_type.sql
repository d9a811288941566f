-- What a type of exceptions is called.
select text from name where id = :id
