-- The newest line of each price that was not removed.
select p.price_id, p.currency, p.name, p.provenance, p.from_micros, p.to_micros, p.applies_to, p.rate
from price_change as p
where p.removed = 0 and p.id = (select max(n.id) from price_change as n where n.price_id = p.price_id)
order by p.from_micros desc, p.price_id desc
limit 1000
