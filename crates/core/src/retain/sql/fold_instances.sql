-- The next instances, and from which report on there may be some to fold.
select id, folded_seq from instance where id > :behind_id order by id limit :limit
