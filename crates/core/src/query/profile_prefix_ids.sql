-- The numbers of prefixes.
select n.id
from json_each(:prefixes) as prefix
cross join name as n on n.text = prefix.value
