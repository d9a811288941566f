select 1
from topic
where cluster_id = :cluster_id and instance_id = :instance_id and topic_id = :topic_id
