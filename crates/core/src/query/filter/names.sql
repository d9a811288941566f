-- Functions that ran, or types of exceptions that occurred, that contain a text: those that begin with it first.
select text
from name as n
where
    n.text like :part escape '\'
    and n.text <> ''
    and iif(
        :functions,
        exists (select 1 from cluster_prefix where prefix_id = n.id),
        exists (select 1 from exception where type_id = n.id)
    )
order by n.text not like :begun escape '\', length(n.text), n.text
limit :limit
