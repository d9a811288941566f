-- How many clusters have something sealed to these keys of the install.
select count(distinct k.cluster_id)
from data_key as k
where k.install_key_id in (select value from json_each(:install_key_ids))
