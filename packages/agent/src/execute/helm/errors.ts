import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HELM_VERSION_UNSUPPORTED: {
    message: "The program helm on the agent's PATH is {version}, which the agent doesn't support.",
    hint: "The agent works with Helm 4, and with Helm 3 from 3.17 on.",
  },
  HELM_RELEASE_BUSY: {
    message: "The release {release} is {status} at revision {revision} since {since}, by {writer}.",
    hint: "A run puts right what Fairlead left half done, and never what others did. If nobody is at work any more, run helm rollback.",
    meaning: "Somebody else is at work on the release, or has left it half done; the message says who and since when.",
    remedy: "Let its owner end it, or use `helm rollback` if nobody is at work any more.",
  },
  HELM_RELEASE_CHANGED: {
    message: "Somebody else worked on the release {release} at the same time.",
    hint: "Look at its history, then submit the command again.",
  },
  HELM_RELEASE_MISSING: {
    message: "There is no release {release} in the namespace {namespace}.",
    hint: "Check name and namespace; install it first.",
    meaning: "There is no such release.",
  },
  HELM_RELEASE_UNREADABLE: {
    message: "The Secret {secret}, in which Helm keeps the release, can't be read.",
    hint: "Somebody may have changed it. Helm itself says more: helm history.",
  },
  HELM_RELEASE_TOO_LARGE: {
    message: "The release is larger than a Secret may be (1 MiB), in which Helm keeps it.",
    hint: "Remove from the chart's folder what no template uses, or split the chart.",
  },
  HELM_REVISION_MISSING: {
    message: "The release {release} has no revision {revision} that it could go back to.",
    hint: "helm history names those that are kept (historyMax).",
    meaning: "There is no such revision to go back to.",
  },
  HELM_CHART_NOT_FOUND: {
    message: "There is no chart {chart}.",
    hint: "Check name and version; the repository's index or the registry's tags name those that there are.",
    meaning: "The repository or registry has no such chart, or no such version of it.",
  },
  HELM_CHART_DIGEST_MISMATCH: {
    message: "The chart {chart} has the digest {found}, and not the one that the spec names.",
    hint: "Somebody published another chart under the same version. Look at it before you name its digest.",
    meaning: "The chart isn't the one whose digest the spec names.",
  },
  HELM_CHART_UNAUTHORIZED: {
    message: "{host} doesn't give the chart {chart} to these credentials.",
    hint: "chart.credentials.secret names a Secret with username and password.",
    meaning: "The repository or registry doesn't give out the chart to these credentials.",
  },
  HELM_CHART_UNREACHABLE: {
    retryable: true,
    message: "{host}, which has the chart {chart}, can't be reached ({reason}).",
    hint: "Check the address, and that the agent's network and certificates allow it.",
    meaning: "The repository or registry can't be reached; the message says why.",
  },
  HELM_CHART_INVALID: {
    message: "The chart {chart} can't be loaded: {what}.",
    hint: "helm lint says more.",
    meaning: "The chart can't be loaded, or its archive holds links, paths that lead out of it, or too much.",
    remedy: "`helm lint` says more; [limits](commands-helm.md#charts).",
  },
  HELM_CHART_DEPENDENCIES_MISSING: {
    message: "The chart lacks charts that it depends on: {names}.",
    hint: "Nothing is fetched beside the chart: put them into its folder charts (helm dependency update) and publish that.",
    meaning: "The chart depends on others that aren't in its folder `charts/`.",
  },
  HELM_CREDENTIALS_INVALID: {
    message: "The Secret {secret} holds no credentials: {what}.",
    hint: "It needs username and password as texts without line breaks; ca.crt is optional.",
    meaning: "The Secret for a chart's server holds no credentials.",
  },
  HELM_VALUES_INVALID: {
    message: "The values in {where} can't be used: {what}.",
    hint: "A layer of values is one map in YAML or JSON.",
    meaning: "A layer of values can't be used; the message says which and why.",
  },
  HELM_VALUES_REFUSED: {
    message: "The chart's schema refuses values: {places}.",
    hint: "values.schema.json of the chart says what each of them may be.",
    meaning: "The chart's schema refuses values; the message says where.",
  },
  HELM_TEMPLATE_FAILED: {
    message: "A template of the chart fails: {what}.",
    hint: "Correct the values that it names, or the chart. Values of Secrets are masked.",
    meaning: "A template of the chart fails; the message has its file and line, and the words of the chart or of Helm.",
  },
  HELM_KUBERNETES_UNFIT: {
    message: "The chart needs Kubernetes {wanted}, and this cluster has {version}.",
    hint: "Choose a version of the chart for this version of Kubernetes, or upgrade the cluster.",
    meaning: "The chart's kubeVersion doesn't include this cluster's version of Kubernetes.",
  },
  HELM_KIND_UNKNOWN: {
    message: "This cluster has no {kind} of {apiVersion}.",
    hint: "Install its CustomResourceDefinition first, or a chart for this version of Kubernetes.",
    meaning: "The cluster doesn't have a kind that the chart uses.",
  },
  HELM_OBJECT_REFUSED: {
    message: "The API server refuses {object}: {what}.",
    hint: "Values aren't shown. Compare the field with what its kind allows.",
    meaning: "The API server refuses an object; the message names it and the field.",
  },
  HELM_OBJECT_FOREIGN: {
    message: "{object} exists already, and doesn't belong to this release.",
    hint: "Remove it, or give it the labels and annotations by which Helm knows its own.",
    meaning: "An object of the chart exists already, and doesn't belong to this release.",
  },
  HELM_CONFLICT: {
    message: "Others own fields of {object} that the chart sets differently: {conflicts}.",
    hint: "Leave these fields out of the chart's values, or take them over with forceConflicts.",
    meaning: "Others have set fields of an object differently; the message names them and the fields.",
  },
  HELM_NAMESPACE_MISSING: {
    message: "There is no namespace {namespace}.",
    hint: "Set createNamespace, or make it first.",
    meaning: "The namespace isn't there.",
  },
  HELM_NAMESPACE_TERMINATING: {
    message: "The namespace {namespace} is being deleted, so nothing can be created in it.",
    hint: "Wait until it is gone, or see what holds it up: its status names what is left in it.",
    meaning: "The namespace is being deleted.",
  },
  HELM_FORBIDDEN: {
    message: "The command may not do what the chart needs: {what}.",
    hint: "Give the agent's account the right, or change the policy file of the cluster.",
    meaning: "The command lacks a right that the chart needs; the message names it, or the rule of the policy.",
  },
  HELM_HOOK_FAILED: {
    message: "A hook of the chart failed: {hook}.",
    hint: "Look at the log of its pod.",
  },
  HELM_HOOK_TIMEOUT: {
    message: "A hook of the chart hasn't ended in time: {hook}.",
    hint: "Look at its pods. A longer wait.timeoutSeconds gives it more time.",
  },
  HELM_NOT_READY: {
    message: "{detail}",
    hint: "Look at the object and its events. A longer wait.timeoutSeconds gives it more time.",
    meaning: "Objects of the release didn't become ready; the message says which and why.",
  },
  HELM_TEST_FAILED: {
    message: "{count} of {total} tests of the release failed.",
    hint: "The result names them. Look at the logs of their pods.",
  },
  HELM_ROLLBACK_FAILED: {
    message: "The upgrade failed ({reason}), and putting it right failed, too ({what}).",
    hint: "The release is as the result says. Put it right by hand, or by another command.",
  },
  HELM_API_UNREACHABLE: {
    retryable: true,
    message: "The API server broke off while Helm was at work.",
    hint: "Submit the command again.",
  },
  HELM_MANIFEST_UNREADABLE: {
    message: "The chart's manifests can't be read: {what}.",
    hint: "helm template shows it.",
    meaning: "The chart's manifests aren't YAML that the agent can read.",
  },
  HELM_PLAN_REFUSED: {
    message: "{count} of {total} objects of the chart can't be applied as they are.",
    hint: "The result names each of them; nothing was changed.",
    meaning: "A dry run: some objects of the chart can't be applied as they are.",
  },
  HELM_FAILED: {
    message: "Helm ended with exit code {exitCode}: {reason}.",
    hint: "The reason is in Helm's own words, with values of Secrets masked.",
    meaning:
      "Helm ended with an error that has no code of its own. The message has Helm's words, with values of Secrets masked.",
  },
} as const;

export const helmErrors: Errors<typeof table> = defineErrors(table);
