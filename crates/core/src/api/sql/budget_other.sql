-- Whether another budget is for the same clusters.
select 1 from budget where covers = :covers and id is not :id
