// Every metric of the agent. Registration, `# HELP` and docs/metrics.md come from it.
import { counterOf, gaugeOf, histogramOf, type MetricTable } from "@fairlead/kernel";

export const agentMetrics: MetricTable = {
  fairlead_agent_build_info: gaugeOf("1", "Always 1; the labels name the version of the agent and of Node.js", [
    "version",
    "node_version",
  ]),
  fairlead_agent_certificate_expiry_timestamp_seconds: gaugeOf(
    "seconds since 1970",
    "When the agent's certificate expires; absent without one",
  ),
  fairlead_agent_certificate_remaining_seconds: gaugeOf("seconds", "Time until the agent's certificate expires"),

  fairlead_agent_link_up: gaugeOf("1", "1 while a link to the hub is open"),
  fairlead_agent_links: gaugeOf("links", "Open links to the hub"),
  fairlead_agent_link_connects_total: counterOf("links", "Links opened since the start"),
  fairlead_agent_link_bytes_total: counterOf("bytes", "Bytes over links", ["direction"]),
  fairlead_agent_streams: gaugeOf("streams", "Streams on the links by state", ["state"]),
  fairlead_agent_credit_bytes: gaugeOf(
    "bytes",
    "Flow control: bytes held, granted to the hub, queued, and retained until they are acknowledged",
    ["kind"],
  ),
  fairlead_agent_queue_age_seconds: gaugeOf("seconds", "Age of the oldest frame that waits to be sent"),

  fairlead_agent_requests_in_flight: gaugeOf("requests", "Requests to the API server in flight"),
  fairlead_agent_requests_total: counterOf("requests", "Requests to the API server by how they ended", ["outcome"]),
  fairlead_agent_response_seconds: histogramOf(
    "seconds",
    "Time from a request's arrival at the agent to the beginning of the API server's answer",
  ),
  fairlead_agent_proxy_bytes_total: counterOf("bytes", "Bytes of bodies to and from the API server", ["direction"]),
  fairlead_agent_errors_total: counterOf("errors", "Errors answered by the agent itself, by code", ["code"]),
  fairlead_agent_api_server_failed_probes_total: counterOf("probes", "Probes of the API server without an answer"),
  fairlead_agent_api_server_cut_connections_total: counterOf(
    "connections",
    "Connections to the API server that the agent cut because nothing answered there",
  ),

  fairlead_agent_trace_spans_total: counterOf(
    "spans",
    "Spans that the collector took or that were lost, where traces are sent",
    ["outcome"],
  ),

  fairlead_agent_leading: gaugeOf("1", "1 while this agent leads its cluster's observers"),
  fairlead_agent_observed_kinds: gaugeOf("kinds", "Observed kinds by state", ["state"]),
  fairlead_agent_observed_objects: gaugeOf("objects", "Observed objects"),
  fairlead_agent_observe_lists_total: counterOf("lists", "Complete lists that the agent began"),
  fairlead_agent_observe_objects_total: counterOf("objects", "Objects that the API server sent, by how", ["how"]),
  fairlead_agent_inventory_connected: gaugeOf("1", "1 while the hub takes the observed objects"),
  fairlead_agent_inventory_pending_changes: gaugeOf("changes", "Changes that the hub hasn't acknowledged"),
  fairlead_agent_inventory_oldest_pending_seconds: gaugeOf("seconds", "Age of the oldest unacknowledged change"),
  fairlead_agent_inventory_held_bytes: gaugeOf("bytes", "Bytes of objects kept until they are sent"),
  fairlead_agent_inventory_sessions_total: counterOf("calls", "Calls to the hub that compared the two sides"),
  fairlead_agent_inventory_sent_changes_total: counterOf("changes", "Changes sent to the hub"),
  fairlead_agent_inventory_sent_bytes_total: counterOf("bytes", "Bytes of changes sent to the hub"),
  fairlead_agent_inventory_fetched_objects_total: counterOf("objects", "Objects read again in order to send them"),

  fairlead_agent_commands_held: gaugeOf("commands", "Commands that this agent runs"),
  fairlead_agent_commands_unreported: gaugeOf("commands", "Outcomes that the hub hasn't taken yet"),
  fairlead_agent_commands_claimed_total: counterOf("commands", "Commands that this agent claimed"),
  fairlead_agent_commands_lost_total: counterOf("commands", "Claims lost before their commands ended"),
  fairlead_agent_commands_total: counterOf("commands", "Commands that ended, by outcome", ["outcome"]),
  fairlead_agent_command_log_bytes_total: counterOf("bytes", "Bytes of logs that the hub has taken"),
  fairlead_agent_command_programs: gaugeOf("1", "Always 1, for each program that commands can run", [
    "program",
    "version",
  ]),

  fairlead_agent_gitops_leading: gaugeOf("1", "1 while this agent syncs Argo CD's applications"),
  fairlead_agent_gitops_connected: gaugeOf("1", "1 while the hub syncs applications with this agent"),
  fairlead_agent_gitops_objects: gaugeOf("objects", "Objects at this end, by flow", ["flow"]),
  fairlead_agent_gitops_pending_changes: gaugeOf("changes", "Changes that the hub hasn't committed, by flow", ["flow"]),
  fairlead_agent_gitops_refused_objects: gaugeOf("objects", "Objects that the hub doesn't take now, by flow", ["flow"]),
  fairlead_agent_gitops_drifted_objects: gaugeOf("objects", "Copies that differ from the hub's, by flow", ["flow"]),
  fairlead_agent_gitops_oldest_pending_seconds: gaugeOf("seconds", "Age of the oldest pending change"),
};
