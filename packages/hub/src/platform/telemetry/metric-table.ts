// Every metric of the hub. Registration, `# HELP` and docs/metrics.md come from it.
import { counterOf, gaugeOf, histogramOf, type MetricTable } from "@fairlead/kernel";
import { clusterMetrics } from "./cluster-metric-table.ts";

export const hubMetrics: MetricTable = {
  fairlead_build_info: gaugeOf("1", "Always 1; the labels name the version of the hub and of Node.js", [
    "version",
    "node_version",
  ]),
  fairlead_certificate_expiry_timestamp_seconds: gaugeOf(
    "seconds since 1970",
    "When the certificate of a listener expires; absent for one that a mesh or a file provides",
    ["listener"],
  ),
  fairlead_certificate_remaining_seconds: gaugeOf("seconds", "Time until the certificate of a listener expires", [
    "listener",
  ]),

  ...clusterMetrics,

  fairlead_database_statement_duration_seconds: histogramOf(
    "seconds",
    "Duration of the database's statements; own: the hub's work, asked: people's questions, probe: health checks",
    ["share"],
  ),
  fairlead_database_connections: gaugeOf("connections", "Connections to the database", ["share", "state"]),
  fairlead_database_waiting: gaugeOf(
    "statements",
    "Statements and transactions that wait for a connection to the database",
    ["share"],
  ),

  fairlead_links: gaugeOf("links", "Live links to agents"),
  fairlead_link_streams: gaugeOf("streams", "Streams on all links by state", ["state"]),
  fairlead_link_credit_bytes: gaugeOf(
    "bytes",
    "Bytes held, granted to peers, queued to be sent, and retained until they are acknowledged",
    ["kind"],
  ),
  fairlead_link_budget_bytes: gaugeOf("bytes", "Credit of the whole process: in total, and granted", ["kind"]),
  fairlead_link_queue_age_seconds: gaugeOf("seconds", "Age of the oldest frame that waits, over all links"),
  fairlead_link_bytes_total: counterOf("bytes", "Bytes over links", ["direction"]),
  fairlead_link_frames_total: counterOf("frames", "Frames over links", ["direction"]),
  fairlead_link_resets_total: counterOf("streams", "Streams that ended in a reset, by the wire's code", ["code"]),
  fairlead_link_resumes_total: counterOf("connections", "Connections that resumed a link after a cut"),
  fairlead_links_closed_total: counterOf("links", "Links that ended"),

  fairlead_http_requests_active: gaugeOf("requests", "Proxied requests in flight", ["route"]),
  fairlead_http_requests_total: counterOf("requests", "Requests answered, by kind of route and status", [
    "route",
    "status",
  ]),
  fairlead_errors_total: counterOf("errors", "Errors by code", ["code"]),

  fairlead_trace_spans_total: counterOf(
    "spans",
    "Spans that the collector took or that were lost, where traces are sent",
    ["outcome"],
  ),

  fairlead_audit_waiting: gaugeOf("records", "Audit records that aren't written yet"),
  fairlead_audit_records_total: counterOf("records", "Audit records written"),
  fairlead_audit_failures_total: counterOf("writes", "Failed writes of audit records"),
  fairlead_audit_refused_total: counterOf("requests", "Requests refused because no audit record could be kept"),
  fairlead_audit_dropped_total: counterOf("requests", "Requests without an audit record, where none is required"),
  fairlead_recordings_active: gaugeOf("sessions", "Sessions being recorded"),
  fairlead_limits_active: gaugeOf("requests", "Requests and streams that count against limits"),
  fairlead_limits_refused_total: counterOf("requests", "Requests refused by a limit, by code", ["code"]),

  fairlead_inventory_reports: gaugeOf("clusters", "Clusters whose objects are reported"),
  fairlead_inventory_objects: gaugeOf("objects", "Objects of all clusters in the hub's copy"),
  fairlead_inventory_lag_seconds: gaugeOf("seconds", "Age of the oldest change that the hub hasn't stored"),
  fairlead_inventory_store_failing: gaugeOf("1", "1 while changes can't be stored"),
  fairlead_inventory_changes_total: counterOf("changes", "Changes stored, by kind of change", ["change"]),

  fairlead_commands: gaugeOf(
    "commands",
    "Commands of all clusters that haven't ended, by state; read every 15 seconds",
    ["state"],
  ),
  fairlead_commands_finished_total: counterOf("commands", "Commands that this hub saw end, by outcome", ["outcome"]),

  fairlead_gitops_calls: gaugeOf("clusters", "Clusters whose applications this hub exchanges now"),
  fairlead_gitops_objects: gaugeOf("objects", "Objects at this end of a flow, of all its clusters", ["flow"]),
  fairlead_gitops_pending_changes: gaugeOf("changes", "Changes that the other side hasn't, by flow", ["flow"]),
  fairlead_gitops_refused_objects: gaugeOf("objects", "Objects that a cluster doesn't take, by flow", ["flow"]),
  fairlead_gitops_oldest_pending_seconds: gaugeOf(
    "seconds",
    "Age of the oldest change that a cluster hasn't acknowledged",
  ),
  fairlead_gitops_held_deletions: gaugeOf("applications", "Deletions of applications that wait for a confirmation"),

  fairlead_bus_up: gaugeOf("1", "1 while hints between hubs arrive, by adapter", ["adapter"]),
  fairlead_bus_hints_total: counterOf("hints", "Hints given, before they are bundled"),
  fairlead_bus_messages_total: counterOf("messages", "Messages on the bus by outcome", ["outcome"]),
  fairlead_change_looks_total: counterOf("reads", "Reads of the counters of changes by outcome", ["outcome"]),
  fairlead_database_went_back_total: counterOf(
    "times",
    "Times that the database had lost committed data, as after a failover or a restore",
  ),
  fairlead_change_rereads_total: counterOf("reads", "Times that changed data was read again, by topic", [
    "topic",
    "outcome",
  ]),
  fairlead_leases_held: gaugeOf("leases", "Leases that this hub holds"),

  fairlead_hubs: gaugeOf(
    "hubs",
    "Other hubs of the database, by whether there is a link to them; absent for a single hub",
    ["link"],
  ),
  fairlead_relayed_streams: gaugeOf(
    "requests",
    "Requests from other hubs in flight through this hub; absent for a single hub",
  ),
  fairlead_relayed_streams_total: counterOf(
    "requests",
    "Requests that other hubs sent through this hub; absent for a single hub",
  ),

  fairlead_declarations: gaugeOf("documents", "Documents of declarations in force; absent without --declarations"),
  fairlead_declarations_failing: gaugeOf(
    "1",
    "1 while the declared files can't be applied; absent without --declarations",
  ),
  fairlead_declarations_drift_total: counterOf(
    "times",
    "Times that something differed from its declaration and was corrected; absent without --declarations",
  ),
};
