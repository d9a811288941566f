-- What is found by its words. Any part of a word finds it, from three letters on.

-- A cluster's row has its number. `about` holds what it is called and by whom, a line each.
create virtual table cluster_text using fts5 (about, tags, note, tokenize = 'trigram');
-- What a switch takes away is gone from here as well, not only marked as gone.
insert into cluster_text (cluster_text, rank) values ('secure-delete', 1);

create trigger cluster_told after insert on cluster begin
    insert or ignore into tag (cluster_id, name, value)
    select new.id, key, coalesce(value, '') from json_each(new.tags)
    union select new.id, key, coalesce(value, '') from json_each(new.own_tags);
    insert into cluster_text (rowid, about, tags, note) values (
        new.id,
        concat_ws(char(10), new.given_name, new.name, new.scheduler_id, new.user, nullif(new.said_user, new.user), new.host, new.project),
        (select group_concat(iif(value = '', name, name || '=' || value), char(10)) from tag where cluster_id = new.id),
        new.note
    );
end;

create trigger cluster_told_anew after update of name, user, host, project, tags, given_name, note, own_tags on cluster
when (old.name, old.user, old.host, old.project, old.tags, old.given_name, old.note, old.own_tags)
    is not (new.name, new.user, new.host, new.project, new.tags, new.given_name, new.note, new.own_tags)
begin
    delete from tag where cluster_id = new.id;
    insert or ignore into tag (cluster_id, name, value)
    select new.id, key, coalesce(value, '') from json_each(new.tags)
    union select new.id, key, coalesce(value, '') from json_each(new.own_tags);
    update cluster_text
    set
        about = concat_ws(char(10), new.given_name, new.name, new.scheduler_id, new.user, nullif(new.said_user, new.user), new.host, new.project),
        tags = (select group_concat(iif(value = '', name, name || '=' || value), char(10)) from tag where cluster_id = new.id),
        note = new.note
    where rowid = new.id;
end;

create trigger cluster_gone after delete on cluster begin
    delete from cluster_text where rowid = old.id;
end;

-- Which clusters ran a function: a row for each prefix and cluster, however many groups there are.
create table cluster_prefix (
    prefix_id integer not null references name (id),
    cluster_id integer not null references cluster (id) on delete cascade,
    primary key (prefix_id, cluster_id)
) strict, without rowid;

create index cluster_prefix_of on cluster_prefix (cluster_id);

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

create index exception_type on exception (type_id, last_seen_micros);
create index computation_code_at on computation_code (at_micros);

-- What was stored before.
insert or ignore into tag (cluster_id, name, value)
select c.id, j.key, coalesce(j.value, '') from cluster as c, json_each(c.tags) as j;
insert into cluster_text (rowid, about, tags, note)
select
    c.id,
    concat_ws(char(10), c.name, c.scheduler_id, c.user, c.host, c.project),
    (select group_concat(iif(value = '', name, name || '=' || value), char(10)) from tag where cluster_id = c.id),
    null
from cluster as c;
insert or ignore into cluster_prefix (prefix_id, cluster_id) select prefix_id, cluster_id from task_group;
