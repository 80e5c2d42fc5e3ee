import type { Blueprint } from "../blueprint.ts";
import { type Block, block, raw, resource } from "../hcl.ts";
import type { Pool } from "../pools.ts";

/** The application id that Azure gives to the API servers of all AKS clusters. */
const aksServerId = "6dae42f8-4368-4678-94ff-3960e28e3630";

const spotKey = "kubernetes.azure.com/scalesetpriority";

export const aks: Blueprint = {
  inputs: [
    { name: "subscription", description: "The id of the Azure subscription." },
    { name: "region", description: "The Azure region." },
    { name: "admin_group", description: "The object id of the Entra ID group that administers the cluster." },
    { name: "network_cidr", description: "The addresses of the network.", fallback: "10.0.0.0/16" },
    { name: "machine_type", description: "The type of the nodes.", fallback: "Standard_D4s_v5" },
    { name: "gpu_machine_type", description: "The type of nodes with a GPU.", fallback: "Standard_NC4as_T4_v3" },
  ],
  providers: { azurerm: { source: "hashicorp/azurerm", version: "4.37.0" } },
  configuration: [
    block("provider", ["azurerm"], { subscription_id: raw("var.subscription") }, [block("features", [], {})]),
  ],
  access: {
    kind: "exec",
    host: raw("azurerm_kubernetes_cluster.main.kube_config[0].host"),
    ca: raw("base64decode(azurerm_kubernetes_cluster.main.kube_config[0].cluster_ca_certificate)"),
    command: "kubelogin",
    arguments: ["get-token", "--login", "azurecli", "--server-id", aksServerId],
  },
  network: () => [
    resource("azurerm_resource_group", "main", { name: raw("var.name"), location: raw("var.region") }),
    resource("azurerm_virtual_network", "main", { ...placed, address_space: [raw("var.network_cidr")] }),
    resource("azurerm_subnet", "nodes", {
      name: "nodes",
      resource_group_name: raw("azurerm_resource_group.main.name"),
      virtual_network_name: raw("azurerm_virtual_network.main.name"),
      address_prefixes: [raw("cidrsubnet(var.network_cidr, 4, 0)")],
    }),
  ],
  cluster: () => [
    resource(
      "azurerm_kubernetes_cluster",
      "main",
      {
        ...placed,
        dns_prefix: raw("var.name"),
        oidc_issuer_enabled: true,
        workload_identity_enabled: true,
        local_account_disabled: true,
        role_based_access_control_enabled: true,
        depends_on: [raw("azurerm_role_assignment.network")],
      },
      [
        block("default_node_pool", [], {
          name: "default",
          vm_size: raw("var.machine_type"),
          vnet_subnet_id: raw("azurerm_subnet.nodes.id"),
          auto_scaling_enabled: true,
          min_count: 2,
          max_count: 5,
        }),
        block("identity", [], {
          type: "UserAssigned",
          identity_ids: [raw("azurerm_user_assigned_identity.cluster.id")],
        }),
        block("network_profile", [], {
          network_plugin: "azure",
          network_plugin_mode: "overlay",
          service_cidr: "172.16.0.0/16",
          dns_service_ip: "172.16.0.10",
        }),
        block("azure_active_directory_role_based_access_control", [], {
          admin_group_object_ids: [raw("var.admin_group")],
        }),
      ],
    ),
  ],
  pools: (pools) => pools.filter(({ name }) => name !== "default").map(nodePool),
  storage: () => [
    resource(
      "kubernetes_storage_class_v1",
      "fairlead",
      {
        storage_provisioner: "disk.csi.azure.com",
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
        parameters: { skuName: "Premium_LRS" },
      },
      [block("metadata", [], { name: "fairlead-ssd" })],
    ),
  ],
  identities: () => [
    resource("azurerm_user_assigned_identity", "cluster", placed),
    resource("azurerm_role_assignment", "network", {
      scope: raw("azurerm_virtual_network.main.id"),
      role_definition_name: "Network Contributor",
      principal_id: raw("azurerm_user_assigned_identity.cluster.principal_id"),
    }),
  ],
  ready: ["azurerm_kubernetes_cluster.main"],
  byHand: [
    "The default pool is the cluster's system pool, so its labels are AKS's own: the profile's labels for it aren't set.",
    "The default storage class is AKS's own, default; fairlead-ssd stands beside it.",
  ],
};

const placed = {
  name: raw("var.name"),
  location: raw("azurerm_resource_group.main.location"),
  resource_group_name: raw("azurerm_resource_group.main.name"),
};

function nodePool({ name, isSpot, labels, taints }: Pool): Block {
  const spot = { priority: "Spot", eviction_policy: "Delete", spot_max_price: -1 };
  return resource("azurerm_kubernetes_cluster_node_pool", name, {
    name,
    kubernetes_cluster_id: raw("azurerm_kubernetes_cluster.main.id"),
    vm_size: raw(name === "gpu" ? "var.gpu_machine_type" : "var.machine_type"),
    vnet_subnet_id: raw("azurerm_subnet.nodes.id"),
    auto_scaling_enabled: true,
    min_count: name === "gpu" ? 0 : 1,
    max_count: 5,
    ...(isSpot ? spot : {}),
    // AKS puts its own label and taint on spot nodes; left out here, they would be taken for drift.
    node_labels: { ...labels, ...(isSpot ? { [spotKey]: "spot" } : {}) },
    node_taints: [
      ...taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`),
      ...(isSpot ? [`${spotKey}=spot:NoSchedule`] : []),
    ],
  });
}
