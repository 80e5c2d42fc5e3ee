import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_HELM_TOO_OLD: {
    message: "Helm has version {version}, but this command requires 3.14 or newer.",
    hint: "Install a newer Helm, or install the agent with the commands that 'fairlead cluster add' prints (for a registered cluster: 'fairlead cluster token create').",
  },
  CLI_CONTEXT_UNKNOWN: {
    httpStatus: 404,
    message: "Your kubeconfig has no context '{context}'.",
    hint: "Run 'kubectl config get-contexts' to list its contexts, or name another file with --kubeconfig.",
    meaning: "The kubeconfig has no context of this name.",
  },
  CLI_CLUSTER_UNREACHABLE: {
    message: "kubectl can't reach the cluster of the context '{context}': {why}",
    hint: "Make sure that 'kubectl --context {context} version' works first.",
    meaning:
      "The program kubectl can't reach the cluster of the context, or is denied access; the message has its reason.",
  },
  CLI_CLUSTER_OTHER: {
    httpStatus: 409,
    message:
      "The hub knows '{name}' as a different cluster: its kube-system has UID {known}, but that of the context '{context}' has UID {found}.",
    hint: "Choose another name or context. If the cluster was recreated, run 'fairlead cluster delete {name}' first.",
    meaning: "The hub knows this name as a different cluster from the one that the context leads to.",
  },
  CLI_CLUSTER_RIGHTS_MISSING: {
    httpStatus: 403,
    message: "You lack permissions in the cluster of the context '{context}' that the chart needs: {rights}{more}.",
    hint: "Use a context with the permissions of a cluster-admin: the chart creates ClusterRoles.",
    meaning: "You lack permissions in the cluster that the agent's chart needs; the message lists them.",
    remedy: "Use a context with the permissions of a cluster-admin, or ask a cluster-admin to attach the cluster.",
  },
  CLI_CHART_MISSING: {
    httpStatus: 404,
    message: "Helm can't find the chart '{chart}': {why}",
    hint: "Name the agent's chart with --chart: its folder, its .tgz, or oci://REGISTRY/….",
    meaning: "`cluster attach` or `cluster upgrade` can't find the agent's chart at the place that `--chart` names.",
  },
  CLI_CHART_REFUSED: {
    httpStatus: 400,
    message: "Helm can't render the chart '{chart}' with these values: {why}",
    hint: "Check --set, --set-string and --values; the chart's README lists all values.",
    meaning: "The agent's chart doesn't accept the values.",
  },
  CLI_HUB_IN_MESH: {
    httpStatus: 409,
    message: "This hub identifies its agents by their mesh, so it issues no join token to attach a cluster with.",
    hint: "Install the agent with the commands that 'fairlead cluster token create' prints.",
    meaning: "`fairlead cluster attach` got no join token: this hub identifies its agents by their mesh.",
  },
  CLI_HUB_ADDRESS_UNKNOWN: {
    message: "The hub's address for agents, {address}, can't be resolved.",
    hint: "Correct the hub's --agent-public-url, or set an address that pods can resolve with --set-string hub.url=https://HOST:PORT.",
    remedy:
      "Correct the hub's `--agent-public-url`, or set another address with `--set-string hub.url=https://HOST:PORT`.",
  },
  CLI_SECRET_NOT_PLACED: {
    message: "The join token can't be written to the namespace '{namespace}': {why}",
    hint: "Fix the cause and run the same command again, which creates a new token.",
    meaning: "The join token can't be written to a Secret in the cluster; the message has kubectl's reason.",
    remedy: "Fix the cause and run `cluster attach` again, which creates a new token.",
  },
  CLI_CHART_NOT_INSTALLED: {
    message: "Helm couldn't install the agent: {why}",
    hint: "Fix the cause and run the same command again. Run 'helm status' and 'helm history' to see the release.",
    meaning: "Helm couldn't install or upgrade the agent; the message has its reason.",
    remedy: "Fix the cause and run `cluster attach` again. Run `helm status` and `helm history` to see the release.",
  },
  CLI_ATTACH_NOT_LIVE: {
    message: "The agent is installed, but {what}. {why}",
    hint: "Fix what the message names and run the same command again, or wait longer with --timeout.",
    meaning:
      "`cluster attach` installed the agent, but the hub didn't see it live in time. The message says what is missing, and the reasons that the cluster and the pods give.",
  },
} as const;

export const attachErrors: Errors<typeof table> = defineErrors(table);

export function otherCluster(name: string, options: { context: string; known: string; found: string }): FairleadError {
  const { context, known, found } = options;
  return attachErrors.CLI_CLUSTER_OTHER({ name, known, context, found });
}

export function rightsMissing(context: string, missing: readonly string[]): FairleadError {
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : "";
  return attachErrors.CLI_CLUSTER_RIGHTS_MISSING({ context, rights: missing.slice(0, maxNamed).join(", "), more });
}

const maxNamed = 8;

export function notLive(what: string, troubles: readonly string[]): FairleadError {
  return attachErrors.CLI_ATTACH_NOT_LIVE({
    what,
    why: troubles.length === 0 ? "Its pods report no reason." : troubles.join(" "),
  });
}
