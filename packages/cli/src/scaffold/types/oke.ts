import type { Blueprint } from "../blueprint.ts";
import { type Block, block, raw, resource, type Value } from "../hcl.ts";
import type { Pool } from "../pools.ts";

const inMain = { compartment_id: raw("var.compartment"), vcn_id: raw("oci_core_vcn.main.id") };

export const oke: Blueprint = {
  inputs: [
    { name: "compartment", description: "The OCID of the compartment." },
    { name: "region", description: "The OCI region." },
    { name: "node_image", description: "The OCID of the nodes' image, of the region and the version of Kubernetes." },
    { name: "gpu_node_image", description: "The OCID of the image of nodes with a GPU.", fallback: "" },
    { name: "kubernetes_version", description: "The version of Kubernetes.", fallback: "v1.34.1" },
    { name: "network_cidr", description: "The addresses of the network.", fallback: "10.0.0.0/16" },
    { name: "machine_type", description: "The shape of the nodes.", fallback: "VM.Standard.E4.Flex" },
    { name: "gpu_machine_type", description: "The shape of nodes with a GPU.", fallback: "VM.GPU.A10.1" },
  ],
  providers: { oci: { source: "oracle/oci", version: "7.10.0" } },
  configuration: [block("provider", ["oci"], { region: raw("var.region") })],
  access: {
    kind: "exec",
    host: raw('format("https://%s", oci_containerengine_cluster.main.endpoints[0].public_endpoint)'),
    ca: raw(
      "base64decode(yamldecode(data.oci_containerengine_cluster_kube_config.main.content).clusters[0].cluster.certificate-authority-data)",
    ),
    command: "oci",
    arguments: [
      "ce",
      "cluster",
      "generate-token",
      "--cluster-id",
      raw("oci_containerengine_cluster.main.id"),
      "--region",
      raw("var.region"),
    ],
  },
  network: () => [
    block("data", ["oci_identity_availability_domains", "all"], { compartment_id: raw("var.compartment") }),
    resource("oci_core_vcn", "main", {
      compartment_id: raw("var.compartment"),
      display_name: raw("var.name"),
      cidr_blocks: [raw("var.network_cidr")],
    }),
    resource("oci_core_internet_gateway", "main", inMain),
    resource("oci_core_nat_gateway", "main", inMain),
    routes("public", "oci_core_internet_gateway"),
    routes("private", "oci_core_nat_gateway"),
    resource("oci_core_security_list", "main", inMain, [
      block("egress_security_rules", [], { destination: "0.0.0.0/0", protocol: "all" }),
      block("ingress_security_rules", [], { source: raw("var.network_cidr"), protocol: "all" }),
    ]),
    resource("oci_core_security_list", "api", inMain, [
      block("ingress_security_rules", [], { source: "0.0.0.0/0", protocol: "6" }, [
        block("tcp_options", [], { min: 6443, max: 6443 }),
      ]),
    ]),
    subnet("api", 0, "public", [raw("oci_core_security_list.main.id"), raw("oci_core_security_list.api.id")]),
    subnet("services", 1, "public", [raw("oci_core_security_list.main.id")]),
    subnet("nodes", 2, "private", [raw("oci_core_security_list.main.id")]),
  ],
  cluster: () => [
    resource(
      "oci_containerengine_cluster",
      "main",
      {
        compartment_id: raw("var.compartment"),
        name: raw("var.name"),
        kubernetes_version: raw("var.kubernetes_version"),
        vcn_id: raw("oci_core_vcn.main.id"),
        type: "ENHANCED_CLUSTER",
      },
      [
        block("endpoint_config", [], { is_public_ip_enabled: true, subnet_id: raw("oci_core_subnet.api.id") }),
        block("options", [], { service_lb_subnet_ids: [raw("oci_core_subnet.services.id")] }),
      ],
    ),
    block("data", ["oci_containerengine_cluster_kube_config", "main"], {
      cluster_id: raw("oci_containerengine_cluster.main.id"),
    }),
  ],
  pools: (pools) => pools.map(nodePool),
  storage: () => [
    resource(
      "kubernetes_storage_class_v1",
      "fairlead",
      {
        storage_provisioner: "blockvolume.csi.oraclecloud.com",
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
        parameters: { vpusPerGB: "20" },
      },
      [block("metadata", [], { name: "fairlead-ssd" })],
    ),
  ],
  identities: () => [
    resource("oci_identity_policy", "addons", {
      compartment_id: raw("var.compartment"),
      name: raw('format("%s-addons", var.name)'),
      description: "Lets the cluster's autoscaler change the size of its node pools.",
      statements: [
        raw(
          `format("Allow any-user to manage cluster-node-pools in compartment id %s where ALL {request.principal.type = 'workload', request.principal.namespace = 'kube-system', request.principal.service_account = 'cluster-autoscaler', request.principal.cluster_id = '%s'}", var.compartment, oci_containerengine_cluster.main.id)`,
        ),
      ],
    }),
  ],
  ready: ["oci_containerengine_node_pool.default"],
  byHand: [
    "Nodes don't grow by themselves: the cluster autoscaler isn't installed; its right to change pools is given.",
    "Load balancers get no rule of their own for traffic from outside: open their ports in their subnet's security list.",
    "The default storage class is OKE's own, oci-bv; fairlead-ssd stands beside it.",
    "OKE has no taints of node pools: kubelet has to be told of them by a cloud-init script of your own. Taints that the profile asks for aren't set.",
  ],
};

function routes(name: string, gateway: string): Block {
  return resource("oci_core_route_table", name, inMain, [
    block("route_rules", [], { destination: "0.0.0.0/0", network_entity_id: raw(`${gateway}.main.id`) }),
  ]);
}

function subnet(name: string, number: number, side: "public" | "private", lists: readonly Value[]): Block {
  return resource("oci_core_subnet", name, {
    ...inMain,
    display_name: name,
    cidr_block: raw(`cidrsubnet(var.network_cidr, 4, ${number})`),
    route_table_id: raw(`oci_core_route_table.${side}.id`),
    security_list_ids: lists,
    prohibit_public_ip_on_vnic: side === "private",
  });
}

function nodePool({ name, isSpot, labels }: Pool): Block {
  const spot = block("preemptible_node_config", [], {}, [
    block("preemption_action", [], { type: "TERMINATE", is_preserve_boot_volume: false }),
  ]);
  return resource(
    "oci_containerengine_node_pool",
    name,
    {
      compartment_id: raw("var.compartment"),
      cluster_id: raw("oci_containerengine_cluster.main.id"),
      name,
      kubernetes_version: raw("var.kubernetes_version"),
      node_shape: raw(name === "gpu" ? "var.gpu_machine_type" : "var.machine_type"),
    },
    [
      ...(name === "gpu" ? [] : [block("node_shape_config", [], { ocpus: 2, memory_in_gbs: 16 })]),
      block("node_source_details", [], {
        source_type: "IMAGE",
        image_id: raw(name === "gpu" ? "var.gpu_node_image" : "var.node_image"),
      }),
      block("node_config_details", [], { size: name === "gpu" ? 0 : 2 }, [
        block(
          "placement_configs",
          [],
          {
            availability_domain: raw("data.oci_identity_availability_domains.all.availability_domains[0].name"),
            subnet_id: raw("oci_core_subnet.nodes.id"),
          },
          isSpot ? [spot] : [],
        ),
      ]),
      ...Object.entries(labels).map(([key, value]) => block("initial_node_labels", [], { key, value })),
    ],
  );
}
