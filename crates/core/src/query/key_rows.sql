-- The keys of the install, the newest first, and how much is sealed to each.
select i.id, i.public_key, i.created_micros, i.recovery_shown_micros, i.recovery_declined_micros,
    (select count(*) from data_key as k where k.install_key_id = i.id) as data_keys
from install_key as i
order by i.id desc
