-- How many sealed texts there are to look through.
select (select count(*) from exception) + (select count(*) from computation_code)
