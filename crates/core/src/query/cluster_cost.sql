-- What the plugin cost over all samples of a cluster. A share of the loop is one of the ten seconds before a sample at least:
-- two samples may be milliseconds apart, such as when a cluster begins or ends.
with
part as (
    select
        s.instance_id, s.seq, s.at_micros, s.beat_micros, s.hook_micros, s.sent_bytes,
        coalesce(lag(s.at_micros) over (partition by s.instance_id order by s.seq), s.at_micros) as begun_micros
    from instance as i
    cross join sample as s on s.instance_id = i.id
    where i.cluster_id = :id
),
share as (
    select
        *,
        min(1.0, total(beat_micros + hook_micros) over near / max(10000000, at_micros - min(begun_micros) over near)) as loop_share
    from part
    window near as (partition by instance_id order by begun_micros range between 10000000 preceding and current row)
)
select
    cast(min(total(beat_micros), 9007199254740991) as integer) as all_beat_micros,
    cast(min(total(hook_micros), 9007199254740991) as integer) as all_hook_micros,
    cast(min(total(sent_bytes), 9007199254740991) as integer) as all_sent_bytes,
    max(loop_share) as loop_share_peak,
    (select loop_share from share order by at_micros desc, seq desc limit 1) as loop_share
from share
