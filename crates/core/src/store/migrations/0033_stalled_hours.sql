-- Time of threads while a cluster was stalled, by the hour: it is in the idle time of `cluster_hour`. The writer counts it from
-- samples, some time after one came that may change it. What was counted stays when samples are removed.
create table stalled_hour (
    cluster_id integer not null references cluster (id) on delete cascade,
    -- Hours since 1970 UTC. One in which nothing stalled has no row.
    hour integer not null,
    -- Threads times the time in which they did nothing while the cluster was stalled.
    stalled_micros integer not null,
    primary key (cluster_id, hour)
) strict, without rowid;

-- Clusters whose stalled time is to be counted again.
create table stalled_due (
    cluster_id integer primary key references cluster (id) on delete cascade,
    -- From when on.
    due_micros integer not null
) strict;

insert into stalled_due (cluster_id, due_micros) select id, 0 from cluster;

drop view schema_version;
create view schema_version as select 33 as number;
