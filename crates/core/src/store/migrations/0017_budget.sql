-- What a reader means to spend in a month, in the currency of the price book. Nothing is held back by it.
create table budget (
    id integer primary key,
    changed_micros integer not null,
    -- What it is for, as JSON.
    covers text not null unique check (json_valid(covers)),
    amount_nanos integer not null check (amount_nanos > 0)
) strict;
