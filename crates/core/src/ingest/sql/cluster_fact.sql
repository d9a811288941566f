insert or replace into cluster_fact (
    cluster_id, cluster_class, scheduler_address, dashboard_url, python_version, python_path, os, architecture,
    plugin_version, versions, host_versions, mismatches, unavailable, idle_timeout_micros, remote_close_allowed,
    events_allow
)
values (
    :cluster_id, :cluster_class, :scheduler_address, :dashboard_url, :python_version, :python_path, :os, :architecture,
    :plugin_version, :versions, :host_versions, :mismatches, :unavailable, :idle_timeout_micros, :remote_close_allowed,
    :events_allow
)
