-- The last of the next few texts behind :behind.
select max(id) from (select id from name where id > :behind order by id limit :limit)
