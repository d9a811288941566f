-- The key that seals.
select public_key from install_key order by id desc limit 1
