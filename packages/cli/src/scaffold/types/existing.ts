// OpenShift and clusters of no provider that is known are made by installers of their own. The code begins where those
// end: with a cluster that a kubeconfig leads to.
import type { Blueprint } from "../blueprint.ts";
import { block, raw, resource } from "../hcl.ts";

export const generic: Blueprint = {
  inputs: [
    { name: "kube_context", description: "The context of the kubeconfig that leads to the cluster." },
    { name: "kubeconfig", description: "The path of the kubeconfig.", fallback: "~/.kube/config" },
    { name: "storage_provisioner", description: "The name of the CSI driver that makes volumes." },
  ],
  providers: {},
  configuration: [],
  access: { kind: "kubeconfig" },
  network: () => [],
  cluster: () => [],
  pools: () => [],
  storage: () => [
    resource(
      "kubernetes_storage_class_v1",
      "default",
      {
        storage_provisioner: raw("var.storage_provisioner"),
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
      },
      [
        block("metadata", [], {
          name: "fairlead-default",
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        }),
      ],
    ),
  ],
  identities: () => [],
  ready: [],
  byHand: [
    "The cluster itself, its network and its nodes: its own installer makes them, and this code begins where that ends.",
    "Labels and taints of the node pools that the profile asks for.",
    "Identities of addons: the cluster's provider isn't known.",
    "Encryption of volumes: set it as the CSI driver's documentation says.",
  ],
};

export const openshift: Blueprint = {
  ...generic,
  storage: () => [
    resource(
      "kubernetes_storage_class_v1",
      "fairlead",
      {
        storage_provisioner: raw("var.storage_provisioner"),
        volume_binding_mode: "WaitForFirstConsumer",
        allow_volume_expansion: true,
      },
      [block("metadata", [], { name: "fairlead" })],
    ),
  ],
  byHand: [
    ...generic.byHand,
    "The default storage class is the one that OpenShift's storage operator keeps; fairlead stands beside it.",
    "Argo CD is installed from its chart; leave argocd.tf out where the OpenShift GitOps operator runs.",
  ],
};
