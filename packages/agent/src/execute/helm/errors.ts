import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HELM_VERSION_UNSUPPORTED: {
    message: "The program helm on the agent's PATH is {version}, which the agent doesn't support.",
    hint: "The agent works with Helm 4, and with Helm 3 from 3.17 on.",
  },
  HELM_RELEASE_BUSY: {
    message: "The release {release} is {status} at revision {revision} since {since}, by {writer}.",
    hint: "A run puts right what Fairlead left half done, and never what others did. If nobody is at work any more, run helm rollback.",
  },
  HELM_RELEASE_CHANGED: {
    message: "Somebody else worked on the release {release} at the same time.",
    hint: "Look at its history, then submit the command again.",
  },
  HELM_RELEASE_MISSING: {
    message: "There is no release {release} in the namespace {namespace}.",
    hint: "Check name and namespace; install it first.",
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
  },
  HELM_CHART_NOT_FOUND: {
    message: "There is no chart {chart}.",
    hint: "Check name and version; the repository's index or the registry's tags name those that there are.",
  },
  HELM_CHART_DIGEST_MISMATCH: {
    message: "The chart {chart} has the digest {found}, and not the one that the spec names.",
    hint: "Somebody published another chart under the same version. Look at it before you name its digest.",
  },
  HELM_CHART_UNAUTHORIZED: {
    message: "{host} doesn't give the chart {chart} to these credentials.",
    hint: "chart.credentials.secret names a Secret with username and password.",
  },
  HELM_CHART_UNREACHABLE: {
    retryable: true,
    message: "{host}, which has the chart {chart}, can't be reached ({reason}).",
    hint: "Check the address, and that the agent's network and certificates allow it.",
  },
  HELM_CHART_INVALID: {
    message: "The chart {chart} can't be loaded: {what}.",
    hint: "helm lint says more.",
  },
  HELM_CHART_DEPENDENCIES_MISSING: {
    message: "The chart lacks charts that it depends on: {names}.",
    hint: "Nothing is fetched beside the chart: put them into its folder charts (helm dependency update) and publish that.",
  },
  HELM_CREDENTIALS_INVALID: {
    message: "The Secret {secret} holds no credentials: {what}.",
    hint: "It needs username and password as texts without line breaks; ca.crt is optional.",
  },
  HELM_VALUES_INVALID: {
    message: "The values in {where} can't be used: {what}.",
    hint: "A layer of values is one map in YAML or JSON.",
  },
  HELM_VALUES_REFUSED: {
    message: "The chart's schema refuses values: {places}.",
    hint: "values.schema.json of the chart says what each of them may be.",
  },
  HELM_TEMPLATE_FAILED: {
    message: "A template of the chart fails: {place}.",
    hint: "Its message isn't shown, since templates print values. helm template with the same values shows it.",
  },
  HELM_KIND_UNKNOWN: {
    message: "This cluster has no {kind} of {apiVersion}.",
    hint: "Install its CustomResourceDefinition first, or a chart for this version of Kubernetes.",
  },
  HELM_OBJECT_REFUSED: {
    message: "The API server refuses {object}: {what}.",
    hint: "Values aren't shown. Compare the field with what its kind allows.",
  },
  HELM_OBJECT_FOREIGN: {
    message: "{object} exists already, and doesn't belong to this release.",
    hint: "Remove it, or give it the labels and annotations by which Helm knows its own.",
  },
  HELM_CONFLICT: {
    message: "Others own fields of {object} that the chart sets differently: {conflicts}.",
    hint: "Leave these fields out of the chart's values, or take them over with forceConflicts.",
  },
  HELM_NAMESPACE_MISSING: {
    message: "There is no namespace {namespace}.",
    hint: "Set createNamespace, or make it first.",
  },
  HELM_FORBIDDEN: {
    message: "The command may not do what the chart needs: {what}.",
    hint: "Give the agent's account the right, or change the policy file of the cluster.",
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
  },
  HELM_PLAN_REFUSED: {
    message: "{count} of {total} objects of the chart can't be applied as they are.",
    hint: "The result names each of them; nothing was changed.",
  },
  HELM_FAILED: {
    message: "Helm ended with exit code {exitCode} for a reason that isn't known here.",
    hint: "Its output isn't shown, since it may hold values. helm upgrade --dry-run with the same chart and values may show it.",
  },
} as const;

export const helmErrors: Errors<typeof table> = defineErrors(table);
