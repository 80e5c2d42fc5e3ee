import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  HELM_VERSION_UNSUPPORTED: {
    message: "The program helm on the agent's PATH has version {version}, which the agent doesn't support.",
    hint: "Install Helm 4, or Helm 3.17 or a later 3.x.",
  },
  HELM_RELEASE_BUSY: {
    message: "The release {release} has been {status} at revision {revision} since {since}, by {writer}.",
    hint: "Wait for its owner. If the operation is abandoned, run helm rollback: a run repairs only what Fairlead left unfinished.",
    meaning: "Another process is changing the release, or left it unfinished; the message says who and since when.",
    remedy: "Wait until its owner finishes, or run `helm rollback` if the operation is abandoned.",
  },
  HELM_RELEASE_CHANGED: {
    message: "Another process changed the release {release} at the same time.",
    hint: "Check its history, then submit the command again.",
  },
  HELM_RELEASE_MISSING: {
    message: "The release {release} doesn't exist in the namespace {namespace}.",
    hint: "Check the name and namespace, or install the release first.",
    meaning: "The release doesn't exist.",
  },
  HELM_RELEASE_UNREADABLE: {
    message: "The Secret {secret}, in which Helm stores the release, can't be read.",
    hint: "Run helm history for details: the Secret may have been changed.",
  },
  HELM_RELEASE_TOO_LARGE: {
    message: "The release is larger than 1 MiB, the maximum size of the Secret in which Helm stores it.",
    hint: "Remove files that no template uses from the chart's folder, or split the chart.",
  },
  HELM_REVISION_MISSING: {
    message: "The release {release} has no revision {revision} to roll back to.",
    hint: "Run helm history to list the stored revisions (historyMax).",
    meaning: "The release doesn't have the revision to roll back to.",
  },
  HELM_CHART_NOT_FOUND: {
    message: "The chart {chart} can't be found.",
    hint: "Check the name and version against the repository's index or the registry's tags.",
    meaning: "The repository or registry doesn't have the chart, or not in this version.",
  },
  HELM_CHART_DIGEST_MISMATCH: {
    message: "The chart {chart} has the digest {found}, not the one in the spec.",
    hint: "A different chart was published under the same version. Check it before you put its digest into the spec.",
    meaning: "The chart's digest isn't the one in the spec.",
  },
  HELM_CHART_UNAUTHORIZED: {
    message: "{host} denied access to the chart {chart} with these credentials.",
    hint: "Check the Secret that chart.credentials.secret names: it must contain username and password.",
    meaning: "The repository or registry denied access to the chart with these credentials.",
  },
  HELM_CHART_UNREACHABLE: {
    retryable: true,
    message: "{host}, which serves the chart {chart}, can't be reached ({reason}).",
    hint: "Check the address, and that the agent's network and certificates allow the connection.",
    meaning: "The repository or registry can't be reached; the message gives the reason.",
  },
  HELM_CHART_INVALID: {
    message: "The chart {chart} can't be loaded: {what}.",
    hint: "Run helm lint for details.",
    meaning: "The chart can't be loaded, or its archive contains links, paths that lead out of it, or too much data.",
    remedy: "Run `helm lint` for details; see the [limits](commands-helm.md#charts).",
  },
  HELM_CHART_DEPENDENCIES_MISSING: {
    message: "Charts that this chart depends on are missing: {names}.",
    hint: "The agent doesn't download dependencies. Add them to the chart's folder charts with helm dependency update, and publish the chart again.",
    meaning: "The chart depends on charts that aren't in its folder `charts/`.",
  },
  HELM_CREDENTIALS_INVALID: {
    message: "The Secret {secret} contains no credentials: {what}.",
    hint: "Set username and password to texts without line breaks; ca.crt is optional.",
    meaning: "The Secret for a chart's server contains no credentials.",
  },
  HELM_VALUES_INVALID: {
    message: "The values in {where} can't be used: {what}.",
    hint: "Write each layer of values as one map in YAML or JSON.",
    meaning: "A layer of values can't be used; the message names it and gives the reason.",
  },
  HELM_VALUES_REFUSED: {
    message: "The chart's schema rejects values: {places}.",
    hint: "See the chart's values.schema.json for the allowed values.",
    meaning: "The chart's schema rejects values; the message says where.",
  },
  HELM_TEMPLATE_FAILED: {
    message: "A template of the chart failed: {what}.",
    hint: "Correct the values that the message names, or the chart. Values of Secrets are masked.",
    meaning:
      "A template of the chart failed; the message has its file and line, and the error of the chart or of Helm.",
  },
  HELM_KUBERNETES_UNFIT: {
    message: "The chart requires Kubernetes {wanted}, but this cluster has {version}.",
    hint: "Choose a chart version for this Kubernetes version, or upgrade the cluster.",
    meaning: "The chart's kubeVersion doesn't include this cluster's Kubernetes version.",
  },
  HELM_KIND_UNKNOWN: {
    message: "This cluster has no {kind} of {apiVersion}.",
    hint: "Install its CustomResourceDefinition first, or use a chart for this Kubernetes version.",
    meaning: "The cluster doesn't have a kind that the chart uses.",
  },
  HELM_OBJECT_REFUSED: {
    message: "The API server rejected {object}: {what}.",
    hint: "Compare the field with what its kind allows. Values aren't shown.",
    meaning: "The API server rejected an object; the message names it and the field.",
  },
  HELM_OBJECT_FOREIGN: {
    message: "{object} already exists and doesn't belong to this release.",
    hint: "Delete it, or give it the labels and annotations that Helm sets on its own objects.",
    meaning: "An object of the chart already exists and doesn't belong to this release.",
  },
  HELM_CONFLICT: {
    message: "Other field managers own fields of {object} that the chart sets differently: {conflicts}.",
    hint: "Remove these fields from the chart's values, or take them over with forceConflicts.",
    meaning: "Other field managers set fields of an object differently; the message names them and the fields.",
  },
  HELM_NAMESPACE_MISSING: {
    message: "The namespace {namespace} doesn't exist.",
    hint: "Set createNamespace, or create the namespace first.",
    meaning: "The namespace doesn't exist.",
  },
  HELM_NAMESPACE_TERMINATING: {
    message: "The namespace {namespace} is being deleted, so nothing can be created in it.",
    hint: "Wait until the namespace is gone, or check its status for what blocks the deletion.",
    meaning: "The namespace is being deleted.",
  },
  HELM_FORBIDDEN: {
    message: "The command isn't allowed to do what the chart needs: {what}.",
    hint: "Give the agent's account the permission, or change the cluster's policy file.",
    meaning: "The command lacks a permission that the chart needs; the message names it, or the rule of the policy.",
  },
  HELM_HOOK_FAILED: {
    message: "A hook of the chart failed: {hook}.",
    hint: "Check the log of its pod.",
  },
  HELM_HOOK_TIMEOUT: {
    message: "A hook of the chart timed out: {hook}.",
    hint: "Check its pods. Increase wait.timeoutSeconds to give it more time.",
  },
  HELM_NOT_READY: {
    message: "{detail}",
    hint: "Check the object and its events. Increase wait.timeoutSeconds to give it more time.",
    meaning: "Objects of the release didn't become ready; the message names them and the reason.",
  },
  HELM_TEST_FAILED: {
    message: "{count} of {total} tests of the release failed.",
    hint: "Check the logs of the pods of the tests that the result names.",
  },
  HELM_ROLLBACK_FAILED: {
    message: "The upgrade failed ({reason}), and so did its rollback ({what}).",
    hint: "Repair the release manually or with another command. The result shows its state.",
  },
  HELM_API_UNREACHABLE: {
    retryable: true,
    message: "The connection to the API server broke while Helm was running.",
    hint: "Submit the command again.",
  },
  HELM_MANIFEST_UNREADABLE: {
    message: "The chart's manifests can't be read: {what}.",
    hint: "Run helm template to see them.",
    meaning: "The chart's manifests aren't YAML that the agent can read.",
  },
  HELM_PLAN_REFUSED: {
    message: "{count} of {total} objects of the chart can't be applied as they are.",
    hint: "Check each object that the result names. Nothing was changed.",
    meaning: "A dry run found objects of the chart that can't be applied as they are.",
  },
  HELM_FAILED: {
    message: "Helm ended with exit code {exitCode}: {reason}.",
    hint: "The reason is Helm's own error, with values of Secrets masked.",
    meaning:
      "Helm ended with an error that has no code of its own. The message contains Helm's error, with values of Secrets masked.",
  },
} as const;

export const helmErrors: Errors<typeof table> = defineErrors(table);
