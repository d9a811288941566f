-- Stalled time of a period and ever, without what was counted of other days.

-- The hours of a period, with all that is asked of them.
create index stalled_hour_at on stalled_hour (hour, cluster_id, stalled_micros);

-- The sum of what clusters have of it in `cluster_total`.
alter table usage_ever add column stalled_micros integer not null default 0;

update usage_ever
set stalled_micros = (select cast(min(total(t.stalled_micros), 2305843009213693952) as integer) from cluster_total as t);

-- As the other sums it stops at 2^61, so that it never overflows.
create trigger cluster_total_stalled after update of stalled_micros on cluster_total
when old.stalled_micros <> new.stalled_micros begin
    update usage_ever
    set stalled_micros = min(
        max(stalled_micros - min(old.stalled_micros, 2305843009213693952), 0) + min(new.stalled_micros, 2305843009213693952),
        2305843009213693952
    );
end;

create trigger cluster_total_gone_stalled after delete on cluster_total when old.stalled_micros > 0 begin
    update usage_ever
    set stalled_micros = max(stalled_micros - min(old.stalled_micros, 2305843009213693952), 0);
end;

drop view schema_version;
create view schema_version as select 38 as number;
