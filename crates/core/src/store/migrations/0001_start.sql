-- The first schema. Times are whole microseconds since 1970 UTC. Columns that end in `_sealed` hold values that only
-- the install's private key opens; every other column is plain and can be asked by any SQLite tool.
-- A `rank` is a number derived from the plugin instance's id: it orders what has equal times and sequence numbers, so
-- that the tables do not depend on the order in which batches arrived. `tags`, `versions`, `events_allow`, `tasks`,
-- `states`, `types`, `dependencies` and `groups` are JSON; checking it again on each write would cost a tenth of it.

create table install (
    id integer primary key check (id = 1),
    created_micros integer not null,
    -- X25519; the private half is in the file `key` beside this store.
    public_key blob not null check (length(public_key) = 32)
) strict;

-- Keys handed out with the served plugin: they may write and nothing else. SHA-256 of each.
create table ingest_key (
    digest blob primary key check (length(digest) = 32),
    created_micros integer not null
) strict, without rowid;

-- Texts that come again and again: prefixes, types of exceptions, topics.
create table name (
    id integer primary key,
    text text not null unique
) strict;

-- A cluster is a scheduler object. Made by its first batch; named by its latest `cluster` record.
create table cluster (
    id integer primary key autoincrement,
    scheduler_id text not null unique,
    -- The earliest time in any of its records.
    first_at_micros integer not null,
    record_at_micros integer,
    record_seq integer,
    record_rank integer,
    said_started_micros integer,
    name text,
    user text,
    host text,
    project text,
    tags text not null default '{}' check (json_valid(tags)),
    started_micros integer not null generated always as (coalesce(said_started_micros, first_at_micros)) virtual,
    -- The row of the heat-map.
    label text not null generated always as (coalesce(nullif(project, ''), nullif(user, ''), 'unnamed')) virtual
) strict;

create index cluster_started on cluster (started_micros, id);
create index cluster_label on cluster (label);

-- The rest of the latest `cluster` record; absent until there is one.
create table cluster_fact (
    cluster_id integer primary key references cluster (id) on delete cascade,
    cluster_class text,
    scheduler_address text,
    dashboard_url text,
    python_version text,
    python_path text,
    os text,
    architecture text,
    plugin_version text not null,
    versions text not null check (json_valid(versions)),
    code_sent integer not null,
    profile_sent integer not null,
    remote_close_allowed integer not null,
    events_allow text not null check (json_valid(events_allow))
) strict;

-- What a cluster may send, by all of its `cluster` records together: once off is off, in whatever order they arrive.
-- What comes all the same is not stored.
create table cluster_switch (
    cluster_id integer primary key references cluster (id) on delete cascade,
    code integer not null,
    -- Topics; `*` among them is all.
    events_allow text not null check (json_valid(events_allow))
) strict;

-- One run of the plugin in a scheduler.
create table instance (
    id integer primary key,
    cluster_id integer not null references cluster (id) on delete cascade,
    instance_id text not null,
    rank integer not null,
    plugin_version text not null,
    first_at_micros integer not null,
    -- The latest `stop` record.
    stop_at_micros integer,
    stop_seq integer,
    stop_reason text,
    -- Batches that came again with other bytes; the first stands.
    conflicts integer not null default 0,
    unique (cluster_id, instance_id)
) strict;

-- What changes with every batch of a cluster: narrow, because lists are sorted by it.
create table cluster_total (
    cluster_id integer primary key references cluster (id) on delete cascade,
    last_heard_micros integer not null,
    -- Later than this, silence means that it is lost.
    silent_after_micros integer not null,
    interval_micros integer not null,
    -- The newest instance, by its first record.
    instance_id integer references instance (id) on delete set null,
    stop_at_micros integer,
    -- The latest sample.
    sample_at_micros integer,
    sample_seq integer,
    sample_rank integer,
    workers integer not null default 0,
    threads integer not null default 0,
    memory_used_bytes integer,
    memory_limit_bytes integer,
    idle_since_micros integer,
    tasks text not null default '{}',
    -- Over all samples.
    samples integer not null default 0,
    workers_peak integer not null default 0,
    memory_peak_bytes integer,
    -- Sums of what `cluster_hour` holds.
    compute_micros integer not null default 0,
    thread_micros integer not null default 0,
    tasks_completed integer not null default 0,
    tasks_erred integer not null default 0,
    result_bytes integer not null default 0,
    computations integer not null default 0,
    exceptions integer not null default 0
) strict;

create index cluster_total_alive on cluster_total (silent_after_micros) where stop_at_micros is null;

-- The batches that were stored, each once.
create table batch (
    instance_id integer not null references instance (id) on delete cascade,
    first_seq integer not null,
    records integer not null,
    digest blob not null check (length(digest) = 32),
    received_micros integer not null,
    first_at_micros integer not null,
    last_at_micros integer not null,
    -- Lines that could not be read.
    refused integer not null,
    -- Records kept for a later version.
    kept integer not null,
    primary key (instance_id, first_seq)
) strict, without rowid;

-- Records that never arrived between batches that did.
create view gap as
select
    cluster_id,
    instance_id,
    covered as first_seq,
    first_seq - covered as missing_records,
    before_micros as from_micros,
    first_at_micros as to_micros
from (
    select
        i.cluster_id,
        b.instance_id,
        b.first_seq,
        b.first_at_micros,
        coalesce(max(b.first_seq + b.records) over before, 1) as covered,
        max(b.last_at_micros) over before as before_micros
    from instance as i
    join batch as b on b.instance_id = i.id
    window before as (
        partition by i.cluster_id, b.instance_id
        order by b.first_seq
        rows between unbounded preceding and 1 preceding
    )
)
where first_seq > covered;

create table sample (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    at_micros integer not null,
    workers integer not null,
    threads integer not null,
    memory_limit_bytes integer,
    memory_used_bytes integer,
    memory_managed_bytes integer,
    memory_unmanaged_bytes integer,
    memory_spilled_bytes integer,
    tasks text not null,
    tasks_processing integer not null,
    tasks_waiting integer not null,
    idle_since_micros integer,
    loop_lag_micros integer,
    -- Totals since the instance started.
    compute_micros integer not null,
    transfer_micros integer not null,
    disk_read_micros integer not null,
    disk_write_micros integer not null,
    deserialize_micros integer not null,
    other_micros integer not null,
    thread_micros integer not null,
    tasks_completed integer not null,
    tasks_erred integer not null,
    result_bytes integer not null,
    -- What the plugin cost.
    beat_micros integer not null,
    sent_bytes integer not null,
    hook_errors integer not null,
    waiting_records integer not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- What each cluster used in each hour (since 1970 UTC): the differences of consecutive samples of an instance, in the
-- hour of the later one. Hour first, so that a period is one range whatever the length of the history.
create table cluster_hour (
    hour integer not null,
    cluster_id integer not null references cluster (id) on delete cascade,
    compute_micros integer not null,
    thread_micros integer not null,
    tasks_completed integer not null,
    tasks_erred integer not null,
    result_bytes integer not null,
    workers_peak integer not null,
    memory_peak_bytes integer,
    samples integer not null,
    primary key (hour, cluster_id)
) strict, without rowid;

-- The sum of `cluster_hour` over all clusters that ever sent a sample, kept so that it need not be made.
create table usage_ever (
    id integer primary key check (id = 1),
    clusters integer not null,
    compute_micros integer not null,
    thread_micros integer not null,
    tasks_completed integer not null,
    tasks_erred integer not null,
    result_bytes integer not null,
    workers_peak integer not null,
    -- When the last batch came, by this machine's clock.
    last_heard_micros integer
) strict;

insert into usage_ever values (1, 0, 0, 0, 0, 0, 0, 0, null);

-- The latest record of each group.
create table task_group (
    cluster_id integer not null references cluster (id) on delete cascade,
    group_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    name text not null,
    prefix_id integer not null references name (id),
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
    dependencies text not null,
    is_final integer not null,
    primary key (cluster_id, group_id)
) strict, without rowid;

-- The latest record of each computation.
create table computation (
    cluster_id integer not null references cluster (id) on delete cascade,
    computation_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    start_micros integer,
    stop_micros integer,
    groups text not null,
    states text not null,
    primary key (cluster_id, computation_id)
) strict, without rowid;

-- The latest code of a computation: its frames as JSON. Apart, because it is sent once and may be large.
create table computation_code (
    cluster_id integer not null references cluster (id) on delete cascade,
    computation_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    frames_sealed blob not null,
    primary key (cluster_id, computation_id)
) strict, without rowid;

-- The latest record of each exception.
create table exception (
    id integer primary key,
    cluster_id integer not null references cluster (id) on delete cascade,
    exception_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    group_id text,
    group_name text,
    origin text not null check (origin in ('user', 'dask')),
    type_id integer not null references name (id),
    message_sealed blob,
    traceback_sealed blob,
    worker text,
    first_seen_micros integer not null,
    last_seen_micros integer not null,
    count integer not null,
    dependents integer not null,
    unique (cluster_id, exception_id)
) strict;

create index exception_seen on exception (last_seen_micros, cluster_id, exception_id);

create table event (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    cluster_id integer not null references cluster (id) on delete cascade,
    at_micros integer not null,
    topic_id integer not null references name (id),
    payload_sealed blob not null,
    primary key (instance_id, seq)
) strict, without rowid;

create index event_at on event (cluster_id, at_micros);

-- What the plugin said that it shed.
create table dropped (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    at_micros integer not null,
    what text not null,
    count integer not null,
    reason text not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- Records of unknown kinds, and unknown fields of known ones, for a later version to read.
create table kept (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    kind text not null,
    text_sealed blob not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- The keys of sealed values, each sealed to the install's public key.
create table data_key (
    id integer primary key,
    cluster_id integer not null references cluster (id) on delete cascade,
    created_micros integer not null,
    wrapped blob not null
) strict;

create index data_key_of_cluster on data_key (cluster_id);
