-- Days summed, so that a long period reads few rows however many clusters ran in it. A day is 24 hours UTC: `hour / 24`.
--
-- The writer sums a day once it is over, from `cluster_hour` and from what clusters are called, and again whenever one
-- of these changed. Until then the day is in `usage_day_stale`, by the same transaction that changed it, and its hours
-- are to be read instead. So: of every day that is not stale, both tables hold the sums of its hours, exactly; a day in
-- neither had none.

-- What is stale by a cluster that was renamed or deleted is found without reading all hours.
create index cluster_hour_of on cluster_hour (cluster_id);

-- What each cluster used on each day.
create table cluster_day (
    day integer not null,
    cluster_id integer not null references cluster (id) on delete cascade,
    compute_micros integer not null,
    transfer_micros integer not null,
    disk_micros integer not null,
    other_micros integer not null,
    thread_micros integer not null,
    worker_micros integer not null,
    memory_mib_seconds integer not null,
    tasks_completed integer not null,
    tasks_erred integer not null,
    result_bytes integer not null,
    workers_peak integer not null,
    memory_peak_bytes integer,
    samples integer not null,
    primary key (day, cluster_id)
) strict, without rowid;

-- For the deletion of a cluster.
create index cluster_day_of on cluster_day (cluster_id);

-- What all clusters together used on each day (`kind` is `all`), and those of each user, host and project by themselves.
-- `name` is that user, host or project; empty for `all`, and where clusters named none.
create table usage_day (
    kind text not null check (kind in ('all', 'user', 'host', 'project')),
    day integer not null,
    name text not null,
    -- Those that have hours on that day.
    clusters integer not null,
    compute_micros integer not null,
    transfer_micros integer not null,
    disk_micros integer not null,
    other_micros integer not null,
    thread_micros integer not null,
    worker_micros integer not null,
    memory_mib_seconds integer not null,
    tasks_completed integer not null,
    tasks_erred integer not null,
    result_bytes integer not null,
    -- The most of any of its clusters.
    workers_peak integer not null,
    memory_peak_bytes integer,
    samples integer not null,
    primary key (kind, day, name)
) strict, without rowid;

create table usage_day_stale (
    day integer primary key
) strict;

create trigger cluster_hour_new after insert on cluster_hour begin
    insert into usage_day_stale (day) values (new.hour / 24) on conflict do nothing;
end;

create trigger cluster_hour_more after update on cluster_hour begin
    insert into usage_day_stale (day) values (new.hour / 24) on conflict do nothing;
end;

create trigger cluster_hour_gone after delete on cluster_hour begin
    insert into usage_day_stale (day) values (old.hour / 24) on conflict do nothing;
end;

create trigger cluster_another_row after update of user, host, project on cluster
when (old.user, old.host, old.project) is not (new.user, new.host, new.project) begin
    insert into usage_day_stale (day)
    select distinct hour / 24 from cluster_hour where cluster_id = new.id
    on conflict do nothing;
end;

-- `usage_ever` is the sum over the clusters that there are.
create trigger cluster_total_gone after delete on cluster_total when old.samples > 0 begin
    update usage_ever
    set
        clusters = clusters - 1,
        compute_micros = max(compute_micros - old.compute_micros, 0),
        transfer_micros = max(transfer_micros - old.transfer_micros, 0),
        disk_micros = max(disk_micros - old.disk_micros, 0),
        other_micros = max(other_micros - old.other_micros, 0),
        thread_micros = max(thread_micros - old.thread_micros, 0),
        worker_micros = max(worker_micros - old.worker_micros, 0),
        memory_mib_seconds = max(memory_mib_seconds - old.memory_mib_seconds, 0),
        tasks_completed = max(tasks_completed - old.tasks_completed, 0),
        tasks_erred = max(tasks_erred - old.tasks_erred, 0),
        result_bytes = max(result_bytes - old.result_bytes, 0),
        -- The other clusters are looked at only where it had the most.
        workers_peak = iif(
            workers_peak > old.workers_peak,
            workers_peak,
            (select coalesce(max(t.workers_peak), 0) from cluster_total as t)
        );
end;

insert into usage_day_stale (day) select distinct hour / 24 from cluster_hour;
