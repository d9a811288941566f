-- A key that seals no more and has nothing sealed to it.
delete from install_key
where id < (select max(id) from install_key)
    and not exists (select 1 from data_key where data_key.install_key_id = install_key.id)
