-- How many sealed texts there are to look through.
select
    (select count(*) from exception where message_sealed is not null) as messages,
    (select count(*) from computation_code) as code
