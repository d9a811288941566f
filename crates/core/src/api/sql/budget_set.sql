-- Writes a budget, or corrects one; there is one for the same clusters.
insert into budget (id, changed_micros, covers, amount_nanos) values (:id, :now, :covers, :amount_nanos)
on conflict (id) do update set
    changed_micros = excluded.changed_micros,
    covers = excluded.covers,
    amount_nanos = excluded.amount_nanos
