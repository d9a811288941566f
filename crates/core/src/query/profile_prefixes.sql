-- What prefixes are called.
select n.id, n.text as prefix
from json_each(:ids) as wanted
cross join name as n on n.id = wanted.value
