-- Profiles that are older are told less finely: after a day by the hour, after a month by the day, one for each run of the
-- plugin and prefix. No sample is lost by it.

-- Hours and days in which something came that is to be put together, and from when on.
create table profile_due (
    due_micros integer not null,
    instance_id integer not null references instance (id) on delete cascade,
    -- Profiles that end in (from_micros, to_micros].
    from_micros integer not null,
    to_micros integer not null,
    primary key (due_micros, instance_id, from_micros)
) strict, without rowid;

create index profile_due_of on profile_due (instance_id);

-- Numbers of records that are in the profile of another: when they come again they are not counted again.
create table profile_merged (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    primary key (instance_id, seq)
) strict, without rowid;

create trigger profile_new after insert on profile begin
    insert into profile_due (due_micros, instance_id, from_micros, to_micros)
    values (
        ((new.to_micros - 1) / 3600000000 + 25) * 3600000000,
        new.instance_id,
        (new.to_micros - 1) / 3600000000 * 3600000000,
        (new.to_micros - 1) / 3600000000 * 3600000000 + 3600000000
    )
    on conflict do nothing;
end;
