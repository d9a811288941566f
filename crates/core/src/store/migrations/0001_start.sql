-- The first schema. Times are whole microseconds since 1970 UTC. Columns that end in `_sealed` hold values that only
-- the install's private key opens; every other column is plain and can be asked by any SQLite tool.
-- A `rank` is a number derived from the plugin instance's id: it orders what has equal times and sequence numbers, so
-- that the tables do not depend on the order in which batches arrived. `tags`, `versions`, `events_allow`, `tasks`,
-- `states`, `stall`, `types`, `dependencies`, `groups` and `resources` are JSON; checking it again on each write would
-- cost a tenth of it.

-- The public halves that data keys are sealed to, X25519; the private halves are in the file `key` beside this store or in
-- the keyring. The newest seals. An older one stays while data keys are sealed to it: until a rotation is through, or for
-- good where its private half is lost.
create table install_key (
    id integer primary key autoincrement,
    created_micros integer not null,
    public_key blob not null unique check (length(public_key) = 32),
    -- When the recovery form of its private half was last shown, and when the offer to show it was declined.
    recovery_shown_micros integer,
    recovery_declined_micros integer
) strict;

-- Keys handed out with the served plugin: they may write and nothing else. SHA-256 of each.
create table ingest_key (
    digest blob primary key check (length(digest) = 32),
    created_micros integer not null
) strict, without rowid;

-- Texts that come again and again: prefixes, types of exceptions, topics, the words of metrics.
create table name (
    id integer primary key,
    text text not null unique
) strict;

-- A cluster is a scheduler object. Made by its first batch; named by its latest `cluster` record.
create table cluster (
    id integer primary key autoincrement,
    scheduler_id text not null unique,
    -- Whether it is told from a recording: in no sum of clusters that are one's own.
    sample integer not null generated always as (scheduler_id glob 'Sample-*') virtual,
    -- The earliest time in any of its records.
    first_at_micros integer not null,
    record_at_micros integer,
    record_seq integer,
    record_rank integer,
    said_started_micros integer,
    name text,
    -- Who it counts as, and the name that it gave itself: a reader may say that two names are one person.
    user text,
    said_user text,
    host text,
    project text,
    tags text not null default '{}' check (json_valid(tags)),
    started_micros integer not null generated always as (coalesce(said_started_micros, first_at_micros)) virtual,
    -- The row of the heat-map.
    label text not null generated always as (coalesce(nullif(project, ''), nullif(user, ''), 'unnamed')) virtual
) strict;

create index cluster_started on cluster (started_micros, id);

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
    host_versions text not null check (json_valid(host_versions)),
    mismatches text not null check (json_valid(mismatches)),
    unavailable text not null check (json_valid(unavailable)),
    idle_timeout_micros integer,
    remote_close_allowed integer not null,
    events_allow text not null check (json_valid(events_allow))
) strict;

-- What a cluster may send, by all of its `cluster` records together: once off is off, in whatever order they arrive.
-- What comes all the same is not stored.
create table cluster_switch (
    cluster_id integer primary key references cluster (id) on delete cascade,
    -- The earliest time at which each was said to be off; null is never.
    code_off_micros integer,
    profile_off_micros integer,
    exceptions_off_micros integer,
    names_off_micros integer,
    user_off_micros integer,
    host_off_micros integer,
    paths_off_micros integer,
    events_off_micros integer,
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
    -- When that instance began. Nothing is known of tasks that ended before.
    instance_at_micros integer,
    -- The latest over all samples: when a task ended, and a sample at which no work was assigned.
    last_completed_micros integer,
    unassigned_at_micros integer,
    -- The latest sample.
    sample_at_micros integer,
    sample_seq integer,
    sample_rank integer,
    workers integer not null default 0,
    threads integer not null default 0,
    memory_used_bytes integer,
    memory_limit_bytes integer,
    idle_since_micros integer,
    -- Null: no work is assigned.
    stall_limit_micros integer,
    stall_same_stacks integer,
    stall_group_id text,
    tasks text not null default '{}',
    -- Over all samples.
    samples integer not null default 0,
    workers_peak integer not null default 0,
    memory_peak_bytes integer,
    -- Sums of what `cluster_hour` holds.
    compute_micros integer not null default 0,
    transfer_micros integer not null default 0,
    disk_micros integer not null default 0,
    other_micros integer not null default 0,
    thread_micros integer not null default 0,
    worker_micros integer not null default 0,
    memory_mib_seconds integer not null default 0,
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
    worker_lag_micros integer,
    -- Sums over the workers; 100 % is one core.
    cpu_percent real,
    network_read_bytes_per_s real,
    network_write_bytes_per_s real,
    disk_read_bytes_per_s real,
    disk_write_bytes_per_s real,
    gpu_percent real,
    gpu_memory_bytes real,
    workers_paused integer,
    last_completed_micros integer,
    stall text,
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
    tasks_retried integer,
    -- What the plugin cost.
    beat_micros integer not null,
    hook_micros integer not null,
    loop_share real not null,
    sent_bytes integer not null,
    hook_errors integer not null,
    waiting_records integer not null,
    shed_records integer not null,
    spooled_bytes integer not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- The workers at a sample, as JSON: each by itself as `[id, cpu %, used, managed, spilled, processing, lag]`, or where
-- there are many how they are spread. Apart, so that samples stay narrow.
create table sample_worker (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    each text,
    bands text,
    primary key (instance_id, seq)
) strict, without rowid;

-- What happened to workers.
create table worker_event (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    at_micros integer not null,
    worker_id text not null,
    event text not null check (event in ('joined', 'left', 'restarted', 'paused', 'resumed', 'killed')),
    address text,
    name text,
    host text,
    cause text,
    expected integer,
    threads integer,
    memory_limit_bytes integer,
    resources text not null,
    nanny integer,
    primary key (instance_id, seq)
) strict, without rowid;

-- What each cluster used in each hour (since 1970 UTC): the differences of consecutive samples of an instance, in the
-- hour of the later one. Hour first, so that a period is one range whatever the length of the history.
create table cluster_hour (
    hour integer not null,
    cluster_id integer not null references cluster (id) on delete cascade,
    -- Time of threads by activity; the rest of their time they were idle. `disk` reads and writes, `other` deserializes too.
    compute_micros integer not null,
    transfer_micros integer not null,
    disk_micros integer not null,
    other_micros integer not null,
    -- Threads, workers and memory (as far as workers may use it) times the time that they were there.
    thread_micros integer not null,
    worker_micros integer not null,
    memory_mib_seconds integer not null,
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
    -- When the last batch came, by this machine's clock.
    last_heard_micros integer
) strict;

insert into usage_ever values (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null);

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
    retried integer,
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
    details_sealed blob,
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

-- Events that were seen in the scheduler and not sent, by topic, since each instance began: its latest record stands.
create table topic (
    cluster_id integer not null references cluster (id) on delete cascade,
    instance_id integer not null references instance (id) on delete cascade,
    topic_id integer not null references name (id),
    at_micros integer not null,
    seq integer not null,
    count integer not null,
    primary key (cluster_id, instance_id, topic_id)
) strict, without rowid;

-- The latest record of each span.
create table span (
    cluster_id integer not null references cluster (id) on delete cascade,
    span_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    parent_id text,
    name text not null,
    tags text not null,
    start_micros integer,
    stop_micros integer,
    enqueued_micros integer,
    groups text not null,
    primary key (cluster_id, span_id)
) strict, without rowid;

-- The latest value of each fine metric. A span or prefix that it does not have is empty: a key has no nulls.
create table metric (
    cluster_id integer not null references cluster (id) on delete cascade,
    span_id text not null,
    prefix_id integer not null references name (id),
    context_id integer not null references name (id),
    activity_id integer not null references name (id),
    unit_id integer not null references name (id),
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    value real not null,
    primary key (cluster_id, span_id, prefix_id, context_id, activity_id, unit_id)
) strict, without rowid;

-- Profiles: narrow, so that those of a window of time or of a prefix are found without reading the others' stacks.
create table profile (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    from_micros integer not null,
    to_micros integer not null,
    -- Null: not split by prefix.
    prefix_id integer references name (id),
    samples integer not null,
    sample_micros integer not null,
    unattributed integer not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- The stacks of a profile: names, files, frames, parents and counts, packed as `store/stacks.rs` says.
create table profile_stack (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    packed blob not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- Lines of source of functions in profiles, each with the first profile that has it: a list of
-- `[file, name, first line, text, line]` as JSON, deflated; the last is null for the line that was first seen running.
create table profile_line (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    lines_sealed blob not null,
    primary key (instance_id, seq)
) strict, without rowid;

-- Records beyond the number of rows that one cluster may have of a kind. They are only counted.
create table too_many (
    cluster_id integer not null references cluster (id) on delete cascade,
    what text not null,
    count integer not null,
    primary key (cluster_id, what)
) strict, without rowid;

-- What the plugin said that it shed, and what was not stored because its cluster switched it off.
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

-- The keys of sealed values, each sealed to a public key of the install.
create table data_key (
    id integer primary key,
    cluster_id integer not null references cluster (id) on delete cascade,
    install_key_id integer not null references install_key (id),
    created_micros integer not null,
    wrapped blob not null
) strict;

create index data_key_of_cluster on data_key (cluster_id);
-- What is left to a rotation.
create index data_key_of_install_key on data_key (install_key_id);
