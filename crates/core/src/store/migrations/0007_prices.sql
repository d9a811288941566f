-- What has been written into the price book, in order: nothing is ever changed or removed here. Of each price the newest
-- line counts, unless it says that the price was removed.
create table price_change (
    id integer primary key,
    price_id integer not null,
    at_micros integer not null,
    removed integer not null,
    -- The same in all lines that count.
    currency text not null,
    name text not null,
    provenance text not null,
    -- Clusters that began in [from_micros, to_micros); no end is null.
    from_micros integer not null,
    to_micros integer,
    applies_to text not null check (json_valid(applies_to)),
    rate text not null check (json_valid(rate))
) strict;

create index price_change_of on price_change (price_id, id);

-- Until somebody writes a price: the electricity of a machine of one's own.
insert into price_change (price_id, at_micros, removed, currency, name, provenance, from_micros, applies_to, rate)
values (
    1, 0, 0, 'EUR', 'My own machine',
    'Assumed, not measured: electricity alone, 4 to 12 W for each core that is up, 0.15 to 0.40 a kilowatt-hour. Put in what your machine draws and what you pay.',
    0, '{"is":"everything"}',
    '{"is":"own","watts_per_core":{"low":4.0,"high":12.0},"kilowatt_hour":{"low":0.15,"high":0.4}}'
);
