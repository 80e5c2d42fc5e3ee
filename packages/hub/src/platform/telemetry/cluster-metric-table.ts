// Metrics by cluster. A hub shows them of at most `--metrics-clusters` clusters.
import { counterOf, gaugeOf, histogramOf, type MetricTable } from "@fairlead/kernel";

export const clusterMetrics: MetricTable = {
  fairlead_clusters: gaugeOf("clusters", "Clusters by their state, all of them", ["state"]),
  fairlead_clusters_without_metrics: gaugeOf(
    "clusters",
    "Clusters beyond --metrics-clusters, for which there are no series of their own",
  ),
  fairlead_cluster_state: gaugeOf("1", "1 for the state that the cluster is in, 0 for the others", [
    "cluster",
    "state",
  ]),
  fairlead_cluster_link_up: gaugeOf("1", "1 while an agent of the cluster has a link to this hub or another one", [
    "cluster",
  ]),
  fairlead_cluster_certificate_expiry_timestamp_seconds: gaugeOf(
    "seconds since 1970",
    "When the first certificate of the cluster's linked agents expires",
    ["cluster"],
  ),
  fairlead_cluster_certificate_remaining_seconds: gaugeOf(
    "seconds",
    "Time until the first certificate of the cluster's linked agents expires",
    ["cluster"],
  ),
  fairlead_cluster_inventory_age_seconds: gaugeOf(
    "seconds",
    "Age of the hub's copy of the cluster's objects, by its oldest kind; absent until all kinds were listed",
    ["cluster"],
  ),
  fairlead_cluster_inventory_lag_seconds: gaugeOf(
    "seconds",
    "Age of the oldest change in the cluster that the hub hasn't stored",
    ["cluster"],
  ),
  fairlead_cluster_inventory_pending_changes: gaugeOf("changes", "Changes in the cluster that the hub hasn't stored", [
    "cluster",
  ]),
  fairlead_cluster_inventory_objects: gaugeOf("objects", "Objects in the hub's copy of the cluster", ["cluster"]),
  fairlead_cluster_requests_active: gaugeOf(
    "requests",
    "Proxied requests in flight, watches and upgraded connections among them",
    ["cluster"],
  ),
  fairlead_cluster_requests_total: counterOf(
    "requests",
    "Proxied requests that ended, by class of their status (2xx); cut for those without one",
    ["cluster", "status"],
  ),
  fairlead_cluster_request_duration_seconds: histogramOf(
    "seconds",
    "Duration of proxied requests, without watches, followed logs and upgraded connections",
    ["cluster"],
  ),
  fairlead_cluster_proxied_bytes_total: counterOf(
    "bytes",
    "Bytes of bodies and upgraded connections of proxied requests that ended",
    ["cluster", "direction"],
  ),
  fairlead_cluster_commands: gaugeOf(
    "commands",
    "Commands of the cluster that haven't ended, by state; read every 15 seconds",
    ["cluster", "state"],
  ),
  fairlead_cluster_commands_finished_total: counterOf(
    "commands",
    "Commands of the cluster that this hub saw end, by outcome",
    ["cluster", "outcome"],
  ),
  fairlead_cluster_command_duration_seconds: histogramOf(
    "seconds",
    "Time from the creation of a command to its end, of those that this hub saw end",
    ["cluster"],
  ),
};
