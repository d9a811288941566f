-- What a reader puts on a cluster by hand, the views that they keep, and what the list of clusters is sorted and found by.

alter table cluster add column given_name text;
alter table cluster add column note text;
alter table cluster add column pinned_micros integer;
-- Tags by hand, as JSON; beside `tags`, which are the cluster's own words.
alter table cluster add column own_tags text not null default '{}' check (json_valid(own_tags));
-- What it is called everywhere.
alter table cluster add column shown_name text
    generated always as (coalesce(nullif(given_name, ''), nullif(name, ''), scheduler_id)) virtual;

-- Each is an order of the list; where many are equal, the newest come first. So `user:ana`, newest first, is one range.
create index cluster_shown_name on cluster (shown_name collate nocase);
create index cluster_user on cluster (user collate nocase, started_micros);
create index cluster_host on cluster (host collate nocase, started_micros);
create index cluster_project on cluster (project collate nocase, started_micros);
create index cluster_pinned on cluster (started_micros) where pinned_micros is not null;
create index cluster_noted on cluster (started_micros) where note is not null;

alter table cluster_total add column threads_peak integer not null default 0;
-- The cluster's, once more: how long it lasted can then be sorted by.
alter table cluster_total add column started_micros integer;
alter table cluster_total add column seen_micros integer
    generated always as (coalesce(sample_at_micros, started_micros)) virtual;
-- To its end, else to its last sample: less than one interval before now while it lives.
alter table cluster_total add column lasted_micros integer
    generated always as (coalesce(stop_at_micros, sample_at_micros, started_micros) - started_micros) virtual;
alter table cluster_total add column efficiency real
    generated always as (cast(compute_micros as real) / nullif(thread_micros, 0)) virtual;

update cluster_total set
    threads_peak = threads,
    started_micros = (select c.started_micros from cluster as c where c.id = cluster_id);

-- Every batch rewrites what is here, so that only what filters need as well has an index. To sort by another figure all
-- rows are read: 100,000 take about 30 ms, while an index of each figure would cost each batch a seventh more.
create index cluster_total_seen on cluster_total (seen_micros);
create index cluster_total_exceptions on cluster_total (exceptions) where exceptions > 0;

create trigger cluster_total_new after insert on cluster_total begin
    update cluster_total
    set started_micros = (select started_micros from cluster where id = new.cluster_id)
    where cluster_id = new.cluster_id;
end;

create trigger cluster_started_anew after update of said_started_micros, first_at_micros on cluster
when old.started_micros is not new.started_micros begin
    update cluster_total set started_micros = new.started_micros where cluster_id = new.id;
end;

-- The tags of a cluster, its own words and those by hand, one a row.
create table tag (
    cluster_id integer not null references cluster (id) on delete cascade,
    name text not null collate nocase,
    value text not null collate nocase,
    primary key (cluster_id, name, value)
) strict, without rowid;

create index tag_name on tag (name, value);

-- A list of clusters to come back to: its columns, order and filter in the text that it is exported as.
create table saved_view (
    name text primary key,
    saved_micros integer not null,
    text text not null
) strict, without rowid;
