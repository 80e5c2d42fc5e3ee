/**
 * The kinds that are observed unless told otherwise, as `resource[.group]`. Kinds that the cluster doesn't have are
 * left out, until they come. The chart gives the right to read exactly these (and what its values include); a test
 * compares the two.
 */
export const defaultKinds: readonly string[] = [
  "nodes",
  "namespaces",
  "pods",
  "services",
  "persistentvolumeclaims",
  "persistentvolumes",
  "resourcequotas",
  "limitranges",
  "events",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "horizontalpodautoscalers.autoscaling",
  "endpointslices.discovery.k8s.io",
  "ingresses.networking.k8s.io",
  "storageclasses.storage.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "apiservices.apiregistration.k8s.io",

  "gatewayclasses.gateway.networking.k8s.io",
  "gateways.gateway.networking.k8s.io",
  "httproutes.gateway.networking.k8s.io",
  "grpcroutes.gateway.networking.k8s.io",
  "tlsroutes.gateway.networking.k8s.io",
  "tcproutes.gateway.networking.k8s.io",
  "udproutes.gateway.networking.k8s.io",

  "applications.argoproj.io",
  "appprojects.argoproj.io",
  "rollouts.argoproj.io",
  "workflows.argoproj.io",
  "workflowtemplates.argoproj.io",

  "gateways.networking.istio.io",
  "virtualservices.networking.istio.io",

  "notebooks.kubeflow.org",
  "sparkapplications.sparkoperator.k8s.io",
  "scheduledsparkapplications.sparkoperator.k8s.io",

  "nodepools.karpenter.sh",
  "nodeclaims.karpenter.sh",
  "ec2nodeclasses.karpenter.k8s.aws",
  "aksnodeclasses.karpenter.azure.com",
  "nodeclasses.eks.amazonaws.com",

  "scaledobjects.keda.sh",
  "scaledjobs.keda.sh",

  "certificates.cert-manager.io",
  "certificaterequests.cert-manager.io",
  "issuers.cert-manager.io",
  "clusterissuers.cert-manager.io",

  "prometheuses.monitoring.coreos.com",
  "alertmanagers.monitoring.coreos.com",
  "servicemonitors.monitoring.coreos.com",
  "podmonitors.monitoring.coreos.com",
  "prometheusrules.monitoring.coreos.com",
];
