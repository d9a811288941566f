-- How many clusters are stored, and how much they say is off: what is off is taken out of what is stored, and once off is
-- off.
select
    count(*) as clusters,
    total(
        (s.profile_off_micros is not null) + (s.paths_off_micros is not null)
        + (s.names_off_micros is not null) + (s.user_off_micros is not null)
    ) as off
from json_each(:ids) as wanted
cross join cluster as c on c.id = wanted.value
left join cluster_switch as s on s.cluster_id = c.id
