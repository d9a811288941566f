-- The history of the price book, newest first.
select price_id, at_micros, removed, currency, name, provenance, from_micros, to_micros, applies_to, rate
from price_change
order by id desc
limit :limit
