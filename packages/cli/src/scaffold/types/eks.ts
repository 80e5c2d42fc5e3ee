import type { Blueprint } from "../blueprint.ts";
import { type Block, block, raw, resource } from "../hcl.ts";
import type { Effect, Pool } from "../pools.ts";

const policies = {
  cluster: ["AmazonEKSClusterPolicy"],
  nodes: ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly"],
  ebs: ["service-role/AmazonEBSCSIDriverPolicy"],
};

const effects: Readonly<Record<Effect, string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

export const eks: Blueprint = {
  inputs: [
    { name: "region", description: "The AWS region." },
    { name: "kubernetes_version", description: "The version of Kubernetes.", fallback: "1.34" },
    { name: "network_cidr", description: "The addresses of the network.", fallback: "10.0.0.0/16" },
    { name: "machine_type", description: "The type of the nodes.", fallback: "m6i.xlarge" },
    { name: "gpu_machine_type", description: "The type of nodes with a GPU.", fallback: "g5.xlarge" },
  ],
  providers: { aws: { source: "hashicorp/aws", version: "6.2.0" } },
  configuration: [block("provider", ["aws"], { region: raw("var.region") })],
  access: {
    kind: "exec",
    host: raw("aws_eks_cluster.main.endpoint"),
    ca: raw("base64decode(aws_eks_cluster.main.certificate_authority[0].data)"),
    command: "aws",
    arguments: ["eks", "get-token", "--cluster-name", raw("var.name"), "--region", raw("var.region")],
  },
  network: () => [
    block("data", ["aws_availability_zones", "open"], { state: "available" }),
    resource("aws_vpc", "main", { cidr_block: raw("var.network_cidr"), enable_dns_hostnames: true }),
    resource("aws_internet_gateway", "main", { vpc_id: raw("aws_vpc.main.id") }),
    ...subnets("public", 0, { "kubernetes.io/role/elb": "1" }),
    ...subnets("private", 2, { "kubernetes.io/role/internal-elb": "1" }),
    resource("aws_eip", "nat", { domain: "vpc" }),
    resource("aws_nat_gateway", "main", {
      allocation_id: raw("aws_eip.nat.id"),
      subnet_id: raw("aws_subnet.public[0].id"),
      depends_on: [raw("aws_internet_gateway.main")],
    }),
    ...route("public", { gateway_id: raw("aws_internet_gateway.main.id") }),
    ...route("private", { nat_gateway_id: raw("aws_nat_gateway.main.id") }),
  ],
  cluster: () => [
    ...role("cluster", "eks.amazonaws.com", policies.cluster),
    resource(
      "aws_eks_cluster",
      "main",
      {
        name: raw("var.name"),
        version: raw("var.kubernetes_version"),
        role_arn: raw("aws_iam_role.cluster.arn"),
        depends_on: [raw("aws_iam_role_policy_attachment.cluster")],
      },
      [
        block("vpc_config", [], { subnet_ids: raw("aws_subnet.private[*].id"), endpoint_private_access: true }),
        block("access_config", [], {
          authentication_mode: "API",
          bootstrap_cluster_creator_admin_permissions: true,
        }),
      ],
    ),
  ],
  pools: (pools) => [...role("nodes", "ec2.amazonaws.com", policies.nodes), ...pools.map(nodeGroup)],
  storage: ({ storage }) => [
    resource(
      "kubernetes_storage_class_v1",
      "default",
      {
        storage_provisioner: "ebs.csi.aws.com",
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
        parameters: { type: storage.ebsType, encrypted: String(storage.wantsEncryption) },
        depends_on: [raw("aws_eks_addon.ebs")],
      },
      [
        block("metadata", [], {
          name: storage.ebsType,
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        }),
      ],
    ),
  ],
  identities: () => [
    addon("pod_identity", "eks-pod-identity-agent"),
    ...role("ebs", "pods.eks.amazonaws.com", policies.ebs),
    resource("aws_eks_pod_identity_association", "ebs", {
      cluster_name: raw("aws_eks_cluster.main.name"),
      namespace: "kube-system",
      service_account: "ebs-csi-controller-sa",
      role_arn: raw("aws_iam_role.ebs.arn"),
    }),
    addon("ebs", "aws-ebs-csi-driver", "aws_eks_pod_identity_association.ebs"),
  ],
  ready: ["aws_eks_node_group.default"],
  byHand: [
    "Nodes don't grow by themselves beyond each group's limits: Karpenter or the cluster autoscaler isn't installed.",
    "The AWS load balancer controller and its role aren't made.",
  ],
};

function subnets(name: string, first: number, tags: Readonly<Record<string, string>>): readonly Block[] {
  const number = first === 0 ? "count.index" : `count.index + ${first}`;
  return [
    resource("aws_subnet", name, {
      count: 2,
      vpc_id: raw("aws_vpc.main.id"),
      cidr_block: raw(`cidrsubnet(var.network_cidr, 2, ${number})`),
      availability_zone: raw("data.aws_availability_zones.open.names[count.index]"),
      tags,
    }),
  ];
}

function route(name: string, gateway: Parameters<typeof block>[2]): readonly Block[] {
  return [
    resource("aws_route_table", name, { vpc_id: raw("aws_vpc.main.id") }, [
      block("route", [], { cidr_block: "0.0.0.0/0", ...gateway }),
    ]),
    resource("aws_route_table_association", name, {
      count: 2,
      subnet_id: raw(`aws_subnet.${name}[count.index].id`),
      route_table_id: raw(`aws_route_table.${name}.id`),
    }),
  ];
}

function role(name: string, service: string, grants: readonly string[]): readonly Block[] {
  const trust = `jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = ["sts:AssumeRole", "sts:TagSession"], Principal = { Service = "${service}" } }] })`;
  return [
    resource("aws_iam_role", name, { name: raw(`"\${var.name}-${name}"`), assume_role_policy: raw(trust) }),
    resource("aws_iam_role_policy_attachment", name, {
      for_each: raw(
        `toset(${JSON.stringify(grants.map((grant) => `arn:aws:iam::aws:policy/${grant}`)).replaceAll(",", ", ")})`,
      ),
      role: raw(`aws_iam_role.${name}.name`),
      policy_arn: raw("each.value"),
    }),
  ];
}

function nodeGroup({ name, isSpot, labels, taints }: Pool): Block {
  return resource(
    "aws_eks_node_group",
    name,
    {
      cluster_name: raw("aws_eks_cluster.main.name"),
      node_group_name: name,
      node_role_arn: raw("aws_iam_role.nodes.arn"),
      subnet_ids: raw("aws_subnet.private[*].id"),
      instance_types: [raw(name === "gpu" ? "var.gpu_machine_type" : "var.machine_type")],
      capacity_type: isSpot ? "SPOT" : "ON_DEMAND",
      ami_type: name === "gpu" ? "AL2023_x86_64_NVIDIA" : "AL2023_x86_64_STANDARD",
      labels,
      depends_on: [raw("aws_iam_role_policy_attachment.nodes"), raw("aws_route_table_association.private")],
    },
    [
      block("scaling_config", [], {
        desired_size: name === "gpu" ? 0 : 2,
        min_size: name === "gpu" ? 0 : 2,
        max_size: 5,
      }),
      ...taints.map(({ key, value, effect }) => block("taint", [], { key, value, effect: effects[effect] })),
    ],
  );
}

function addon(name: string, addonName: string, after?: string): Block {
  return resource("aws_eks_addon", name, {
    cluster_name: raw("aws_eks_cluster.main.name"),
    addon_name: addonName,
    depends_on: [raw("aws_eks_node_group.default"), ...(after === undefined ? [] : [raw(after)])],
  });
}
