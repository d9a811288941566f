-- Every budget.
select id, covers, amount_nanos from budget order by id limit :limit
