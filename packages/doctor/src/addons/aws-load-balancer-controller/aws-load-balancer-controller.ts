import { Fields } from "@fairlead/kernel";
import type { Addon } from "../../catalogue/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { identityCheck } from "../aws-identity.ts";
import { isInstalled } from "../is-installed.ts";
import { twoReplicasCheck } from "../two-replicas.ts";
import { judgeAddresses } from "./addresses.ts";
import { judgeClusterName } from "./cluster-name.ts";
import { judgeIngressClass } from "./ingress-class.ts";

const id = "aws-load-balancer-controller";

export const awsLoadBalancerController: Addon = {
  id,
  title: "AWS Load Balancer Controller",
  need: { eks: "essential" },
  signals: {
    resources: ["targetgroupbindings.elbv2.k8s.aws", "ingressclassparams.elbv2.k8s.aws"],
    components: [{ name: "controller", isEssential: true, images: [id] }],
    providerManaged,
  },
  checks: [
    twoReplicasCheck({ addon: id, chart: id, values: { replicaCount: 2 }, features: ["ingress"] }),
    {
      id: `${id}.cluster-name`,
      title: "The controller knows its cluster's name",
      why: "It marks what it makes at AWS with `--cluster-name`. Without it the controller ends at once; under another cluster's name it takes that cluster's load balancers for its own.",
      severity: "required",
      features: ["ingress"],
      appliesTo: isInstalled,
      judge: judgeClusterName,
    },
    {
      id: `${id}.addresses`,
      title: "Services of type LoadBalancer got an address",
      why: "A Service without an address has no load balancer: nothing from outside reaches it. The controller's log says which right or which subnet is missing.",
      severity: "required",
      features: ["ingress"],
      judge: judgeAddresses,
    },
    {
      id: `${id}.ingress-class`,
      title: "There is an ingress class for it",
      why: "Ingresses name a class. Without one of its own the controller takes none of them.",
      severity: "recommended",
      features: [],
      judge: judgeIngressClass,
    },
    identityCheck({ addon: id, features: ["ingress"] }),
  ],
  unlocks: ["ingress"],
  install: {
    chart: id,
    repository: "https://aws.github.io/eks-charts",
    version: "1.16.0",
    versionRange: ">=1.6.0 <4.0.0",
    namespace: id,
    release: id,
    order: -18,
    after: [],
    values: () => ({ replicaCount: 2 }),
  },
};

function providerManaged(snapshot: Snapshot): string | undefined {
  const isThere = snapshot
    .list("ingressclasses.networking.k8s.io")
    .some((each) => new Fields(each).at("spec", "controller").text() === "eks.amazonaws.com/alb");
  return isThere ? "EKS Auto Mode" : undefined;
}
