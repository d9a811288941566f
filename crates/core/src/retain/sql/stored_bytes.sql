-- About how many bytes the clusters :ids have of each category of :before from before its moment (a JSON object); and where
-- :whole, of what belongs to none. The lengths of texts and blobs, and a number for what else a row takes: its numbers,
-- its key, and its part in indexes. What stands in braces is put in by came.rs.
with
one as materialized (select value as cluster_id from json_each(:ids)),
goes as materialized (select key as category, value as before_micros from json_each(:before)),
-- From which of their records on the instances keep a category, as the removal has it.
part as materialized (
    select
        i.cluster_id,
        i.id as instance_id,
        due.category,
        coalesce(
            (
                select b.first_seq
                from batch as b
                where b.instance_id = i.id and max(b.last_at_micros, b.received_micros) >= due.before_micros
                order by b.first_seq
                limit 1
            ),
            9007199254740991
        ) as keeps_from
    from one
    cross join instance as i on i.cluster_id = one.cluster_id
    cross join goes as due
),
-- The clusters of which a profile stays. Of others the lines of source go with the profiles.
profiled as materialized (
    select distinct p.cluster_id
    from part as p
    where
        p.category = 'profiles'
        and exists (select 1 from profile as r where r.instance_id = p.instance_id and r.seq >= p.keeps_from)
),
whole as materialized (select cluster_id from one where :whole),
run as materialized (
    select i.cluster_id, i.id as instance_id from whole as w cross join instance as i on i.cluster_id = w.cluster_id
)
select p.cluster_id, p.category, total(length(s.packed) + 130) as bytes
from part as p
cross join profile as r on r.instance_id = p.instance_id and r.seq < p.keeps_from
cross join profile_stack as s on s.instance_id = r.instance_id and s.seq = r.seq
where p.category = 'profiles'
group by p.cluster_id
union all
select p.cluster_id, p.category, total(length(e.payload_sealed) + 90)
from part as p
cross join event as e on e.instance_id = p.instance_id and e.seq < p.keeps_from
where p.category = 'events'
group by p.cluster_id
union all
select p.cluster_id, p.category, total(length(l.lines_sealed) + 20)
from part as p
cross join profile_line as l on l.instance_id = p.instance_id and l.seq < p.keeps_from
where p.category = 'code'
group by p.cluster_id
union all
-- But for those that go with the code.
select p.cluster_id, p.category, total(length(l.lines_sealed) + 20)
from part as p
left join part as c on c.instance_id = p.instance_id and c.category = 'code'
cross join profile_line as l on l.instance_id = p.instance_id and l.seq >= coalesce(c.keeps_from, 0)
where p.category = 'profiles' and p.cluster_id not in (select cluster_id from profiled)
group by p.cluster_id
union all
select p.cluster_id, p.category, total(length(k.text_sealed) + 30)
from part as p
cross join kept as k on k.instance_id = p.instance_id and k.seq < p.keeps_from
where p.category = 'code'
group by p.cluster_id
union all
select
    p.cluster_id, p.category,
    total(
        length(s.tasks)
        + coalesce(length(s.stall), 0)
        + 200
        + iif(v.seq is null, 0, coalesce(length(v.each), 0) + coalesce(length(v.bands), 0) + 20)
    )
from part as p
cross join sample as s
    on s.instance_id = p.instance_id
    and s.seq < p.keeps_from
    -- The last one stays.
    and s.seq < (select max(m.seq) from sample as m where m.instance_id = p.instance_id)
left join sample_worker as v on v.instance_id = s.instance_id and v.seq = s.seq
where p.category = 'samples'
group by p.cluster_id
union all
select c.cluster_id, due.category, total(length(c.frames_sealed) + 100)
from goes as due
cross join one
cross join computation_code as c on c.cluster_id = one.cluster_id and c.at_micros < due.before_micros
where
    due.category = 'code'
    and not '{c came later}'
group by c.cluster_id
union all
select
    x.cluster_id, due.category,
    total(
        coalesce(length(x.message_sealed), 0)
        + coalesce(length(x.traceback_sealed), 0)
        + coalesce(length(x.details_sealed), 0)
    )
from goes as due
cross join one
cross join exception as x on x.cluster_id = one.cluster_id and x.last_seen_micros < due.before_micros
where
    due.category = 'exceptions'
    and not '{x came later}'
group by x.cluster_id
union all
select r.cluster_id, null, count(*) * 75.0
from run as r
cross join batch as b on b.instance_id = r.instance_id
group by r.cluster_id
union all
select r.cluster_id, null, count(*) * 160.0
from run as r
cross join worker_event as v on v.instance_id = r.instance_id
group by r.cluster_id
union all
select
    w.cluster_id, null,
    total(2 * length(g.group_id) + length(g.name) + length(g.states) + length(g.types) + length(g.dependencies) + 170)
from whole as w
cross join task_group as g on g.cluster_id = w.cluster_id
group by w.cluster_id
union all
select w.cluster_id, null, total(2 * length(c.computation_id) + length(c.groups) + length(c.states) + 80)
from whole as w
cross join computation as c on c.cluster_id = w.cluster_id
group by w.cluster_id
union all
select w.cluster_id, null, total(length(s.span_id) + length(s.name) + length(s.tags) + length(s.groups) + 100)
from whole as w
cross join span as s on s.cluster_id = w.cluster_id
group by w.cluster_id
union all
select w.cluster_id, null, count(*) * 80.0
from whole as w
cross join metric as m on m.cluster_id = w.cluster_id
group by w.cluster_id
union all
select w.cluster_id, null, count(*) * 260.0
from whole as w
cross join exception as x on x.cluster_id = w.cluster_id
group by w.cluster_id
union all
select w.cluster_id, null, count(*) * 120.0
from whole as w
cross join cluster_hour as h on h.cluster_id = w.cluster_id
group by w.cluster_id
union all
-- The cluster itself, its facts, totals, key and what it is found by.
select w.cluster_id, null, 3000.0 from whole as w
