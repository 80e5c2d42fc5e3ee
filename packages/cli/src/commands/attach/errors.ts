import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_HELM_TOO_OLD: {
    message: "This Helm is {version}, and this command needs 3.14 or newer.",
    hint: "Install a newer Helm, or install the agent by the lines of 'fairlead cluster add' (for a registered cluster: 'fairlead cluster token create').",
  },
  CLI_CONTEXT_UNKNOWN: {
    httpStatus: 404,
    message: "Your kubeconfig has no context '{context}'.",
    hint: "'kubectl config get-contexts' lists them; --kubeconfig names another file.",
    meaning: "The kubeconfig has no context of the name given.",
  },
  CLI_CLUSTER_UNREACHABLE: {
    message: "The cluster of the context '{context}' can't be reached from here: {why}",
    hint: "'kubectl --context {context} version' must work first.",
    meaning: "Kubectl can't reach the cluster of the context, or isn't let in; the message has its reason.",
  },
  CLI_CLUSTER_OTHER: {
    httpStatus: 409,
    message:
      "The hub knows '{name}' as another cluster: its kube-system is {known}, that of the context '{context}' is {found}.",
    hint: "Choose another name or context. If the cluster was made anew, 'fairlead cluster delete {name}' first.",
    meaning: "The hub knows the name as another cluster than the one that the context leads to.",
  },
  CLI_CLUSTER_RIGHTS_MISSING: {
    httpStatus: 403,
    message: "You lack rights in the cluster of the context '{context}' that the chart needs: {rights}{more}.",
    hint: "To attach a cluster you need the rights of a cluster-admin there: the chart makes ClusterRoles.",
    meaning: "You lack rights in the cluster that the agent's chart needs; the message lists them.",
    remedy: "Use a context with the rights of a cluster-admin, or have someone attach the cluster who has them.",
  },
  CLI_CHART_MISSING: {
    httpStatus: 404,
    message: "Helm finds no chart '{chart}': {why}",
    hint: "Name the agent's chart with --chart: its folder, its .tgz, or oci://REGISTRY/….",
    meaning: "`cluster attach` or `cluster upgrade` finds no chart of the agent's where `--chart` says.",
  },
  CLI_CHART_REFUSED: {
    httpStatus: 400,
    message: "Helm can't make objects of the chart '{chart}' with these values: {why}",
    hint: "The chart's README has all values; check --set, --set-string and --values.",
    meaning: "The agent's chart doesn't take the values given.",
  },
  CLI_HUB_IN_MESH: {
    httpStatus: 409,
    message: "This hub knows its agents by their mesh, and gives no join token to attach with.",
    hint: "Install the agent by the lines of 'fairlead cluster token create'.",
    meaning: "`fairlead cluster attach` got no join token: this hub knows its agents by their mesh.",
  },
  CLI_HUB_ADDRESS_UNKNOWN: {
    message: "The address that agents dial, {address}, leads nowhere: its name can't be resolved.",
    hint: "Have the hub say the right one (--agent-public-url), or give one that pods resolve with --set-string hub.url=https://HOST:PORT.",
    remedy: "Correct the hub's `--agent-public-url`, or give another with `--set-string hub.url=https://HOST:PORT`.",
  },
  CLI_SECRET_NOT_PLACED: {
    message: "The join token can't be put into the namespace '{namespace}': {why}",
    hint: "Mend that and run the same command again: it makes a new token.",
    meaning: "The join token can't be put into a Secret of the cluster; the message has kubectl's reason.",
    remedy: "Mend that and run `cluster attach` again: it makes a new token.",
  },
  CLI_CHART_NOT_INSTALLED: {
    message: "Helm couldn't install the agent: {why}",
    hint: "Mend that and run the same command again. 'helm status' and 'helm history' show how the release stands.",
    meaning: "Helm couldn't install or upgrade the agent; the message has its reason.",
    remedy: "Mend that and run `cluster attach` again; `helm status` and `helm history` say more.",
  },
  CLI_ATTACH_NOT_LIVE: {
    message: "The agent is installed, but {what}. {why}",
    hint: "Mend what the message names and run the same command again, or wait longer with --timeout.",
    meaning:
      "`cluster attach` installed the agent, but the hub didn't see it live in time; the message says what is missing, and what the cluster and the pods say of why.",
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
    why: troubles.length === 0 ? "Its pods say nothing of why." : troubles.join(" "),
  });
}
