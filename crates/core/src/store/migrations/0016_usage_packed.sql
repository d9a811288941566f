-- Days packed, so that a long period is read in a row a day however many clusters ran in it, and for any time zone: hours
-- stay hours. It takes the place of days that were summed by cluster, user, host and project, which only fit UTC.
--
-- The writer packs a day (24 hours UTC, `hour / 24`) once it is over, from `cluster_hour` and from what clusters are called.
-- Whatever changes one of these takes the pack away in the same transaction and puts the day into `usage_day_stale`, until
-- it is packed again. So: a day has its pack, or is stale and its hours are to be read, or had none.

drop table cluster_day;
drop table usage_day;

create table usage_day (
    day integer primary key,
    -- As `store/day_hours.rs` says.
    packed blob not null
) strict;

create trigger usage_day_changed after insert on usage_day_stale begin
    delete from usage_day where day = new.day;
end;

-- A cluster whose deletion began is in no sum, though its hours are removed a little later.
create trigger cluster_total_gone_of_days after delete on cluster_total begin
    insert into usage_day_stale (day)
    select distinct hour / 24 from cluster_hour where cluster_id = old.cluster_id
    on conflict do nothing;
end;

insert into usage_day_stale (day) select distinct hour / 24 from cluster_hour where true on conflict do nothing;
