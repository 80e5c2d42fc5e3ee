import type { Blueprint } from "../blueprint.ts";
import { type Block, block, raw, resource } from "../hcl.ts";
import type { Effect, Pool } from "../pools.ts";

const effects: Readonly<Record<Effect, string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

export const gke: Blueprint = {
  inputs: [
    { name: "project", description: "The id of the Google Cloud project." },
    { name: "region", description: "The Google Cloud region." },
    { name: "network_cidr", description: "The addresses of the nodes.", fallback: "10.0.0.0/20" },
    { name: "machine_type", description: "The type of the nodes.", fallback: "n2-standard-4" },
    { name: "gpu_machine_type", description: "The type of nodes with a GPU.", fallback: "g2-standard-8" },
  ],
  providers: { google: { source: "hashicorp/google", version: "6.40.0" } },
  configuration: [block("provider", ["google"], { project: raw("var.project"), region: raw("var.region") })],
  access: {
    kind: "exec",
    host: raw('format("https://%s", google_container_cluster.main.endpoint)'),
    ca: raw("base64decode(google_container_cluster.main.master_auth[0].cluster_ca_certificate)"),
    command: "gke-gcloud-auth-plugin",
    arguments: [],
  },
  network: () => [
    resource("google_compute_network", "main", { name: raw("var.name"), auto_create_subnetworks: false }),
    resource("google_compute_subnetwork", "nodes", {
      name: raw("var.name"),
      network: raw("google_compute_network.main.id"),
      ip_cidr_range: raw("var.network_cidr"),
      private_ip_google_access: true,
    }),
    resource("google_compute_router", "main", {
      name: raw("var.name"),
      network: raw("google_compute_network.main.id"),
    }),
    resource("google_compute_router_nat", "main", {
      name: raw("var.name"),
      router: raw("google_compute_router.main.name"),
      nat_ip_allocate_option: "AUTO_ONLY",
      source_subnetwork_ip_ranges_to_nat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
    }),
  ],
  cluster: () => [
    resource(
      "google_container_cluster",
      "main",
      {
        name: raw("var.name"),
        location: raw("var.region"),
        network: raw("google_compute_network.main.id"),
        subnetwork: raw("google_compute_subnetwork.nodes.id"),
        networking_mode: "VPC_NATIVE",
        remove_default_node_pool: true,
        initial_node_count: 1,
      },
      [
        block("ip_allocation_policy", [], {}),
        block("private_cluster_config", [], { enable_private_nodes: true, enable_private_endpoint: false }),
        block("release_channel", [], { channel: "REGULAR" }),
        block("workload_identity_config", [], { workload_pool: raw('format("%s.svc.id.goog", var.project)') }),
      ],
    ),
  ],
  pools: (pools) => pools.map(nodePool),
  storage: () => [
    resource(
      "kubernetes_storage_class_v1",
      "fairlead",
      {
        storage_provisioner: "pd.csi.storage.gke.io",
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
        parameters: { type: "pd-ssd" },
        depends_on: [raw("google_container_node_pool.default")],
      },
      [block("metadata", [], { name: "fairlead-ssd" })],
    ),
  ],
  identities: () => [
    resource("google_service_account", "nodes", { account_id: raw('format("%s-nodes", var.name)') }),
    resource("google_project_iam_member", "nodes", {
      project: raw("var.project"),
      role: "roles/container.defaultNodeServiceAccount",
      member: raw('format("serviceAccount:%s", google_service_account.nodes.email)'),
    }),
  ],
  ready: ["google_container_node_pool.default"],
  byHand: ["The default storage class is GKE's own, standard-rwo; fairlead-ssd stands beside it."],
};

function nodePool({ name, isSpot, labels, taints }: Pool): Block {
  return resource(
    "google_container_node_pool",
    name,
    { name, cluster: raw("google_container_cluster.main.id"), initial_node_count: name === "gpu" ? 0 : 1 },
    [
      block("autoscaling", [], { min_node_count: name === "gpu" ? 0 : 1, max_node_count: 5 }),
      block(
        "node_config",
        [],
        {
          machine_type: raw(name === "gpu" ? "var.gpu_machine_type" : "var.machine_type"),
          spot: isSpot,
          service_account: raw("google_service_account.nodes.email"),
          oauth_scopes: ["https://www.googleapis.com/auth/cloud-platform"],
          labels,
        },
        [
          block("workload_metadata_config", [], { mode: "GKE_METADATA" }),
          ...taints.map(({ key, value, effect }) => block("taint", [], { key, value, effect: effects[effect] })),
        ],
      ),
    ],
  );
}
