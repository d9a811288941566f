-- Fine metrics had four indexes that only the removal of names used, and that took twice as much room as the metrics. Instead, a
-- small table says which names the metrics of a cluster use. A name stays while it is there.

-- The names that the metrics of a cluster use: a row for each name and cluster, however many metrics there are.
create table metric_word (
    name_id integer not null references name (id),
    cluster_id integer not null references cluster (id) on delete cascade,
    primary key (name_id, cluster_id)
) strict, without rowid;

-- The indexes that go have them in this order.
insert into metric_word (name_id, cluster_id) select distinct prefix_id, cluster_id from metric;
insert or ignore into metric_word (name_id, cluster_id) select distinct context_id, cluster_id from metric;
insert or ignore into metric_word (name_id, cluster_id) select distinct activity_id, cluster_id from metric;
insert or ignore into metric_word (name_id, cluster_id) select distinct unit_id, cluster_id from metric;
create index metric_word_of on metric_word (cluster_id);

drop index metric_prefix;
drop index metric_context;
drop index metric_activity;
drop index metric_unit;
alter table metric rename to metric_before;

create table metric (
    cluster_id integer not null references cluster (id) on delete cascade,
    span_id text not null,
    -- Names that stay while `metric_word` has them.
    prefix_id integer not null,
    context_id integer not null,
    activity_id integer not null,
    unit_id integer not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    value real not null,
    primary key (cluster_id, span_id, prefix_id, context_id, activity_id, unit_id)
) strict, without rowid;

insert into metric (
    cluster_id, span_id, prefix_id, context_id, activity_id, unit_id, at_micros, seq, rank, value
)
select cluster_id, span_id, prefix_id, context_id, activity_id, unit_id, at_micros, seq, rank, value
from metric_before
order by cluster_id, span_id, prefix_id, context_id, activity_id, unit_id;

drop table metric_before;

create trigger metric_new after insert on metric begin
    insert into metric_word (name_id, cluster_id)
    values
        (new.prefix_id, new.cluster_id),
        (new.context_id, new.cluster_id),
        (new.activity_id, new.cluster_id),
        (new.unit_id, new.cluster_id)
    on conflict do nothing;
end;

-- What samples say of many workers is as wide as profiles are, and is kept in the same way: by a number of its own.
alter table sample_worker rename to sample_worker_before;

create table sample_worker (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    each text,
    bands text,
    primary key (instance_id, seq)
) strict;

insert into sample_worker (instance_id, seq, each, bands)
select instance_id, seq, each, bands
from sample_worker_before
order by instance_id, seq;

drop table sample_worker_before;

drop view schema_version;
create view schema_version as select 35 as number;
