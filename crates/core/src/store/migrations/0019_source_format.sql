-- Clusters that were read from a file of another program.

alter table imported add column source_format text check (
    source_format in ('performance_report', 'cluster_dump', 'speedscope', 'folded_stacks')
);
