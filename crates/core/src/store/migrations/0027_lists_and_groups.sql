-- The list of clusters by figures. A cluster that is over changes no more: an index of those alone costs no batch of one that
-- lives anything. Each is an order of the list, of which equal ones stand by number; the few clusters that are not over are put
-- in order beside it. `stop_at_micros` is there so that no row is read to see that it is one of these.
create index cluster_total_by_last_work on cluster_total (last_completed_micros, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_duration on cluster_total (lasted_micros, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_workers on cluster_total (workers_peak, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_threads on cluster_total (threads_peak, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_memory on cluster_total (memory_peak_bytes, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_tasks on cluster_total (tasks_completed, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_compute on cluster_total (compute_micros, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_thread_time on cluster_total (thread_micros, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_efficiency on cluster_total (efficiency, cluster_id, stop_at_micros)
where stop_at_micros is not null;
create index cluster_total_by_exceptions on cluster_total (exceptions, cluster_id, stop_at_micros)
where stop_at_micros is not null;

-- All that filters ask of figures, in fewer bytes than a row has, and without the columns between them.
create index cluster_total_figures on cluster_total (
    workers_peak, threads_peak, memory_peak_bytes, tasks_completed, tasks_erred, lasted_micros, compute_micros, thread_micros,
    worker_micros, memory_mib_seconds, efficiency, computations, exceptions, codes, started_micros, first_at_micros, seen_micros,
    stop_at_micros
) where stop_at_micros is not null;

-- Groups without the states in which no task is, which were a quarter of a row, and without an index for the day on which a
-- prefix is removed: `cluster_prefix` has each prefix of a cluster once, and with it its text stays.
drop trigger task_group_new;
drop trigger task_group_renamed;
drop index task_group_prefix;
alter table task_group rename to task_group_before;

create table task_group (
    cluster_id integer not null references cluster (id) on delete cascade,
    group_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    name text not null,
    -- A text that is kept while `cluster_prefix` has it.
    prefix_id integer not null,
    -- Without those in which no task is.
    states text not null,
    compute_seconds real not null,
    transfer_seconds real not null,
    disk_read_seconds real not null,
    disk_write_seconds real not null,
    deserialize_seconds real not null,
    other_seconds real not null,
    result_bytes integer not null,
    types text not null,
    start_micros integer,
    stop_micros integer,
    -- How long its single tasks computed; all null until one did.
    timed_tasks integer,
    mean_seconds real,
    std_seconds real,
    p50_seconds real,
    p95_seconds real,
    max_seconds real,
    retried integer,
    span_id text,
    dependencies text not null,
    is_final integer not null,
    primary key (cluster_id, group_id)
) strict, without rowid;

insert into task_group (
    cluster_id, group_id, at_micros, seq, rank, name, prefix_id, states, compute_seconds, transfer_seconds,
    disk_read_seconds, disk_write_seconds, deserialize_seconds, other_seconds, result_bytes, types, start_micros,
    stop_micros, timed_tasks, mean_seconds, std_seconds, p50_seconds, p95_seconds, max_seconds, retried, span_id,
    dependencies, is_final
)
select
    cluster_id, group_id, at_micros, seq, rank, name, prefix_id,
    (select json_group_object(s.key, s.value) from json_each(g.states) as s where s.value <> 0), compute_seconds,
    transfer_seconds, disk_read_seconds, disk_write_seconds, deserialize_seconds, other_seconds, result_bytes, types,
    start_micros, stop_micros, timed_tasks, mean_seconds, std_seconds, p50_seconds, p95_seconds, max_seconds, retried,
    span_id, dependencies, is_final
from task_group_before as g
order by cluster_id, group_id;

drop table task_group_before;

create trigger task_group_new after insert on task_group begin
    insert or ignore into cluster_prefix (prefix_id, cluster_id) values (new.prefix_id, new.cluster_id);
end;

-- `on conflict` and not `or ignore`: inside an upsert, its own rule would replace the latter.
create trigger task_group_renamed after update of prefix_id on task_group
when old.prefix_id <> new.prefix_id begin
    insert into cluster_prefix (prefix_id, cluster_id) values (new.prefix_id, new.cluster_id) on conflict do nothing;
    delete from cluster_prefix
    where
        prefix_id = old.prefix_id
        and cluster_id = old.cluster_id
        and not exists (
            select 1 from task_group as g where g.cluster_id = old.cluster_id and g.prefix_id = old.prefix_id
        );
end;

-- Functions with their files by number: the path of a file was in each of its functions twice.
drop trigger cluster_frame_gone;
drop trigger profile_gone;
drop index cluster_frame_of;
alter table cluster_frame rename to cluster_frame_before;
alter table frame rename to frame_before;

-- Files of functions in profiles; each goes with the last of its functions.
create table frame_file (
    id integer primary key,
    path text not null unique
) strict;

create table frame (
    -- Never given twice: what was read before a deletion names nothing else afterwards.
    id integer primary key autoincrement,
    file_id integer not null references frame_file (id),
    name text not null,
    -- Its first line; -1 where it was not told, since nulls are not unique.
    line integer not null,
    unique (file_id, name, line)
) strict;

insert into frame_file (path) select distinct file from frame_before order by file;
insert into sqlite_sequence (name, seq) select 'frame', seq from sqlite_sequence where name = 'frame_before';
insert into frame (id, file_id, name, line)
select b.id, f.id, b.name, b.line
from frame_before as b
join frame_file as f on f.path = b.file
order by b.id;

create table cluster_frame (
    frame_id integer not null references frame (id),
    cluster_id integer not null references cluster (id) on delete cascade,
    primary key (frame_id, cluster_id)
) strict, without rowid;

insert into cluster_frame (frame_id, cluster_id)
select frame_id, cluster_id from cluster_frame_before order by frame_id, cluster_id;

drop table cluster_frame_before;
drop table frame_before;
create index cluster_frame_of on cluster_frame (cluster_id);

create trigger frame_gone after delete on frame begin
    delete from frame_file
    where id = old.file_id and not exists (select 1 from frame where file_id = old.file_id);
end;

create trigger cluster_frame_gone after delete on cluster_frame begin
    update frame_forgotten set count = count + 1;
    delete from frame
    where id = old.frame_id and not exists (select 1 from cluster_frame where frame_id = old.frame_id);
end;

-- A cluster without profiles has no functions either. One that is deleted is no instance's cluster any more here.
create trigger profile_gone after delete on profile
when not exists (select 1 from profile where instance_id = old.instance_id) begin
    delete from cluster_frame
    where
        cluster_id = (select i.cluster_id from instance as i where i.id = old.instance_id)
        and not exists (
            select 1
            from instance as i
            join instance as other on other.cluster_id = i.cluster_id
            join profile as p on p.instance_id = other.id
            where i.id = old.instance_id
        );
end;

drop view schema_version;
create view schema_version as select 27 as number;
