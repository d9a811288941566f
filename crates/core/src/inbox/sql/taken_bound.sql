-- Beyond the latest so many.
delete from inbox_taken
where id in (
    select id from inbox_taken
    order by at_micros desc, id desc
    limit -1 offset :kept
)
