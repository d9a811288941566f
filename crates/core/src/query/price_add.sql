-- One more line of the price book; a new price has no number yet.
insert into price_change (
    price_id, at_micros, removed, currency, name, provenance, from_micros, to_micros, applies_to, rate
)
values (
    coalesce(:price_id, (select max(price_id) + 1 from price_change)), :at_micros, :removed, :currency, :name,
    :provenance, :from_micros, :to_micros, :applies_to, :rate
)
