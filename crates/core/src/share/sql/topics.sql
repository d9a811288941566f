-- How many events an instance saw and did not send, by topic.
select t.at_micros, n.text as topic, t.count
from topic as t
join name as n on n.id = t.topic_id
where t.cluster_id = :cluster_id and t.instance_id = :instance_id
order by n.text
