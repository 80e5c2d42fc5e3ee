import { FairleadError } from "@fairlead/kernel";

export function helmTooOld(version: string): FairleadError {
  return new FairleadError({
    code: "CLI_HELM_TOO_OLD",
    message: `This Helm is ${version}, and attaching needs 3.14 or newer.`,
    hint: "Install a newer Helm, or install the agent by the lines of 'fairlead cluster add'.",
  });
}

export function contextUnknown(context: string): FairleadError {
  return new FairleadError({
    code: "CLI_CONTEXT_UNKNOWN",
    message: `Your kubeconfig has no context '${context}'.`,
    hint: "'kubectl config get-contexts' lists them; --kubeconfig names another file.",
    httpStatus: 404,
  });
}

export function clusterUnreachable(context: string, why: string): FairleadError {
  return new FairleadError({
    code: "CLI_CLUSTER_UNREACHABLE",
    message: `The cluster of the context '${context}' can't be reached from here: ${why}`,
    hint: `'kubectl --context ${context} version' must work first.`,
  });
}

export function otherCluster(name: string, options: { context: string; known: string; found: string }): FairleadError {
  const { context, known, found } = options;
  return new FairleadError({
    code: "CLI_CLUSTER_OTHER",
    message: `The hub knows '${name}' as another cluster: its kube-system is ${known}, that of the context '${context}' is ${found}.`,
    hint: `Choose another name or context. If the cluster was made anew, 'fairlead cluster remove ${name}' first.`,
    httpStatus: 409,
  });
}

export function rightsMissing(context: string, missing: readonly string[]): FairleadError {
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : "";
  return new FairleadError({
    code: "CLI_CLUSTER_RIGHTS_MISSING",
    message: `You may not do in the cluster of the context '${context}' what the chart needs: ${missing.slice(0, maxNamed).join(", ")}${more}.`,
    hint: "Whoever attaches a cluster needs the rights of a cluster-admin there: the chart makes ClusterRoles.",
    httpStatus: 403,
  });
}

const maxNamed = 8;

export function chartMissing(chart: string, why: string): FairleadError {
  return new FairleadError({
    code: "CLI_CHART_MISSING",
    message: `Helm finds no chart '${chart}': ${why}`,
    hint: "Name the agent's chart with --chart: its folder, its .tgz, or oci://REGISTRY/….",
    httpStatus: 404,
  });
}

export function chartRefused(chart: string, why: string): FairleadError {
  return new FairleadError({
    code: "CLI_CHART_REFUSED",
    message: `Helm can't make objects of the chart '${chart}' with these values: ${why}`,
    hint: "The chart's README has all values; check --set, --set-string and --values.",
    httpStatus: 400,
  });
}

export function hubAddressUnknown(address: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_HUB_ADDRESS_UNKNOWN",
    message: `The address that agents dial, ${address}, leads nowhere: its name can't be resolved.`,
    hint: "Have the hub say the right one (--agent-public-url), or give one that pods resolve with --set-string hub.url=https://HOST:PORT.",
    cause,
  });
}

export function secretNotPlaced(namespace: string, why: string): FairleadError {
  return new FairleadError({
    code: "CLI_SECRET_NOT_PLACED",
    message: `The join token can't be put into the namespace '${namespace}': ${why}`,
    hint: "Mend that and run the same command again: it makes a new token.",
  });
}

export function chartNotInstalled(why: string): FairleadError {
  return new FairleadError({
    code: "CLI_CHART_NOT_INSTALLED",
    message: `Helm couldn't install the agent: ${why}`,
    hint: "Mend that and run the same command again. 'helm status' and 'helm history' say what became of the release.",
  });
}

export function notLive(what: string, troubles: readonly string[]): FairleadError {
  return new FairleadError({
    code: "CLI_ATTACH_NOT_LIVE",
    message: `The agent is installed, but ${what}. ${troubles.length === 0 ? "Its pods say nothing of why." : troubles.join(" ")}`,
    hint: "Mend what the message names and run the same command again, or wait longer with --timeout.",
  });
}
