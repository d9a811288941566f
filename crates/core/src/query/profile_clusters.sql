-- What clusters are called.
select c.id, c.shown_name as name, c.user
from json_each(:ids) as wanted
cross join cluster as c on c.id = wanted.value
