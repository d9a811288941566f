-- Of the clusters of a list of numbers: what decides on their row and their price. Read by place.
select c.id, c.started_micros, c.shown_name, c.user, c.host, c.project, c.tags, c.own_tags
from json_each(:ids) as wanted
cross join cluster as c on c.id = wanted.value
