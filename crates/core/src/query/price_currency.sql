-- The currency of the book: that of its newest line.
select currency from price_change order by id desc limit 1
