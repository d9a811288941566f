-- Users, two letters in a text, and failures that are the same one: each is answered from an index, without the rows behind it.

-- The user that the cluster reports, once more: users are counted by an index of this table.
alter table cluster_total add column said_user text;
-- The cluster's, once more, for the hosts of a user.
alter table cluster_total add column host text;

update cluster_total
set (said_user, host) = (select c.said_user, c.host from cluster as c where c.id = cluster_id);

-- Users and their hosts, and when each was last seen. Of clusters that are over: no batch of one that lives changes it.
create index cluster_total_users on cluster_total (said_user, host, seen_micros) where stop_at_micros is not null;

drop trigger cluster_total_new;
create trigger cluster_total_new after insert on cluster_total begin
    update cluster_total
    set (started_micros, first_at_micros, said_user, host) = (
        select c.started_micros, c.first_at_micros, c.said_user, c.host from cluster as c where c.id = new.cluster_id
    )
    where cluster_id = new.cluster_id;
end;

create trigger cluster_said_anew after update of said_user, host on cluster
when (old.said_user, old.host) is not (new.said_user, new.host) begin
    update cluster_total set said_user = new.said_user, host = new.host where cluster_id = new.id;
end;

-- The index has pieces of three letters. Now each text ends with the end of a line, so that any two letters in it begin such a
-- piece, the last two as well.
drop trigger cluster_told;
drop trigger cluster_told_anew;
drop table cluster_text;
create virtual table cluster_text using fts5 (about, tags, note, tokenize = 'trigram');
insert into cluster_text (cluster_text, rank) values ('secure-delete', 1);

-- The pieces of three letters that texts have, as the index of texts lists them.
create virtual table cluster_text_term using fts5vocab (cluster_text, row);

insert into cluster_text (rowid, about, tags, note)
select
    c.id,
    concat_ws(char(10), c.given_name, c.name, c.scheduler_id, c.user, nullif(c.said_user, c.user), c.host, c.project, ''),
    (
        select group_concat(iif(value = '', name, name || '=' || value), char(10)) || char(10)
        from tag
        where cluster_id = c.id
    ),
    c.note || char(10)
from cluster as c
order by c.id;

create trigger cluster_told after insert on cluster begin
    insert or ignore into tag (cluster_id, name, value)
    select new.id, key, coalesce(value, '') from json_each(new.tags)
    union select new.id, key, coalesce(value, '') from json_each(new.own_tags);
    insert into cluster_text (rowid, about, tags, note) values (
        new.id,
        concat_ws(
            char(10), new.given_name, new.name, new.scheduler_id, new.user, nullif(new.said_user, new.user), new.host,
            new.project, ''
        ),
        (
            select group_concat(iif(value = '', name, name || '=' || value), char(10)) || char(10)
            from tag
            where cluster_id = new.id
        ),
        new.note || char(10)
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
        about = concat_ws(
            char(10), new.given_name, new.name, new.scheduler_id, new.user, nullif(new.said_user, new.user), new.host,
            new.project, ''
        ),
        tags = (
            select group_concat(iif(value = '', name, name || '=' || value), char(10)) || char(10)
            from tag
            where cluster_id = new.id
        ),
        note = new.note || char(10)
    where rowid = new.id;
end;

-- With all that is summed of a kind: the rows of failures are wide.
drop index exception_kind;
create index exception_kind on exception (
    fingerprint, last_seen_micros, first_seen_micros, cluster_id, count, dependents
);

drop view schema_version;
create view schema_version as select 37 as number;
