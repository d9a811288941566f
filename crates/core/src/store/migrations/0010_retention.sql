-- What is kept for how long, what is being deleted, and what is gone.

-- The rules that a reader set; without a row those of the program hold. Null is without limit.
create table retention (
    id integer primary key check (id = 1),
    -- They are followed from some seconds after this, so that a change can be taken back.
    changed_micros integer not null,
    cap_bytes integer,
    profiles_days integer,
    code_days integer,
    exceptions_days integer,
    events_days integer,
    samples_days integer
) strict;

-- The time that age rules go by: this machine's clock, as far as it is believed.
create table retention_clock (
    id integer primary key check (id = 1),
    trusted_micros integer not null,
    -- How long Bobbin ran while the clock stood days ahead of that.
    ahead_micros integer not null,
    -- When all that was due had last been removed.
    worked_micros integer
) strict;

-- Clusters that are to be deleted: until they are due, that can be undone.
create table deletion (
    cluster_id integer primary key references cluster (id) on delete cascade,
    asked_micros integer not null,
    due_micros integer not null,
    -- From now on it is carried out, also by the next start.
    begun integer not null default 0
) strict;

-- Clusters that were deleted, by SHA-256 of the scheduler's id: what they send later, or had sent before and comes again,
-- is not stored.
create table deleted_cluster (
    scheduler_digest blob primary key check (length(scheduler_digest) = 32),
    deleted_micros integer not null,
    -- That came since.
    batches integer not null default 0
) strict, without rowid;

-- What was removed of a cluster that stayed.
create table pruned (
    cluster_id integer not null references cluster (id) on delete cascade,
    category text not null check (category in ('profiles', 'code', 'exceptions', 'events', 'samples')),
    -- When that last happened.
    at_micros integer not null,
    -- By the rule of so many days; null is by the cap.
    rule_days integer,
    -- Rows, ever.
    records integer not null,
    primary key (cluster_id, category)
) strict, without rowid;

-- Samples before this one are removed, and in the totals: what comes of them late is not added again.
alter table instance add column samples_from_seq integer;

-- What refers to an instance or to a text is found when that is removed.
create index cluster_total_instance on cluster_total (instance_id);
create index topic_instance on topic (instance_id);
create index topic_topic on topic (topic_id);
create index task_group_prefix on task_group (prefix_id);
create index event_topic on event (topic_id);
create index metric_prefix on metric (prefix_id);
create index metric_context on metric (context_id);
create index metric_activity on metric (activity_id);
create index metric_unit on metric (unit_id);
create index profile_prefix on profile (prefix_id);
