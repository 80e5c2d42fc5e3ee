// The fields of Argo CD's kinds that the hub shows of an autonomous cluster's objects, as of Argo CD 3.5. A field that isn't
// here doesn't reach the hub. Not here on purpose: an application's operation, accounts to deploy as, and tokens of roles.
import type { Shape, Shapes } from "./pick-fields.ts";

const jsonnetVariable: Shape = [{ name: "plain", value: "plain", code: "plain" }];
const kindShape: Shape = [{ group: "plain", kind: "plain" }];
const namedKindShape: Shape = [{ group: "plain", kind: "plain", name: "plain" }];
const nameAndValue: Shape = [{ name: "plain", value: "plain" }];
const retryShape: Shape = {
  limit: "plain",
  refresh: "plain",
  backoff: { duration: "plain", factor: "plain", maxDuration: "plain" },
};

const helmShape: Shapes = {
  ...names("apiVersions ignoreMissingValueFiles kubeVersion namespace passCredentials releaseName skipCrds"),
  ...names("skipSchemaValidation skipTests valueFiles values version"),
  valuesObject: "any",
  fileParameters: [names("name path")],
  parameters: [names("forceString name value")],
};

const kustomizeShape: Shapes = {
  ...names("apiVersions commonAnnotationsEnvsubst components forceCommonAnnotations forceCommonLabels"),
  ...names("ignoreMissingComponents images kubeVersion labelIncludeTemplates labelWithoutSelector"),
  ...names("namePrefix nameSuffix namespace version"),
  commonAnnotations: "texts",
  commonLabels: "texts",
  patches: [
    {
      ...names("patch path"),
      options: "texts",
      target: names("annotationSelector group kind labelSelector name namespace version"),
    },
  ],
  replicas: [names("count name")],
};

const drySourceShape: Shapes = {
  ...names("path repoURL targetRevision"),
  helm: helmShape,
  kustomize: kustomizeShape,
  directory: {
    ...names("exclude include recurse"),
    jsonnet: { extVars: jsonnetVariable, tlas: jsonnetVariable, libs: "plain" },
  },
  plugin: {
    name: "plain",
    env: nameAndValue,
    parameters: [{ ...names("name string array"), map: "texts" }],
  },
};

const sourceShape: Shapes = { ...drySourceShape, ...names("chart name ref tagPrefix") };

const hydratorShape: Shapes = {
  drySource: drySourceShape,
  hydrateTo: names("targetBranch"),
  syncSource: names("path repoURL targetBranch"),
};

const differencesShape: Shape = [
  names("group jqPathExpressions jsonPointers kind managedFieldsManagers name namespace"),
];
const namespaceShape: Shapes = { annotations: "texts", labels: "texts" };

export const applicationShape: Shapes = {
  ...names("project revisionHistoryLimit"),
  destination: names("namespace"),
  source: sourceShape,
  sources: [sourceShape],
  sourceHydrator: hydratorShape,
  ignoreDifferences: differencesShape,
  info: nameAndValue,
  syncPolicy: {
    automated: names("allowEmpty enabled prune selfHeal"),
    managedNamespaceMetadata: namespaceShape,
    retry: retryShape,
    syncOptions: "plain",
  },
};

/** What an operation did or does, as its state tells it. It starts none. */
const pastOperationShape: Shapes = {
  info: nameAndValue,
  initiatedBy: names("automated username"),
  retry: retryShape,
  sync: {
    ...names("autoHealAttemptsCount dryRun manifests prune revision revisions syncOptions"),
    resources: [names("group kind name namespace")],
    source: sourceShape,
    sources: [sourceShape],
    syncStrategy: { apply: names("force"), hook: names("force") },
  },
};

export const statusShape: Shapes = {
  ...names("controllerNamespace observedAt reconciledAt resourceHealthSource sourceType sourceTypes"),
  conditions: [names("lastTransitionTime message type")],
  health: names("lastTransitionTime message status"),
  history: [
    {
      ...names("deployStartedAt deployedAt id revision revisions"),
      initiatedBy: names("automated username"),
      source: sourceShape,
      sources: [sourceShape],
    },
  ],
  operationState: {
    ...names("finishedAt message phase retryCount startedAt"),
    operation: pastOperationShape,
    syncResult: {
      ...names("revision revisions"),
      managedNamespaceMetadata: namespaceShape,
      resources: [names("group hookPhase hookType images kind message name namespace status syncPhase version")],
      source: sourceShape,
      sources: [sourceShape],
    },
  },
  resources: [
    {
      ...names("group hook kind name namespace requiresDeletionConfirmation requiresPruning status syncWave version"),
      health: names("lastTransitionTime message status"),
    },
  ],
  sourceHydrator: {
    lastComparedDryRevision: "plain",
    currentOperation: {
      ...names("drySHA finishedAt hydratedSHA message phase startedAt"),
      sourceHydrator: hydratorShape,
    },
    lastSuccessfulOperation: { ...names("drySHA hydratedSHA"), sourceHydrator: hydratorShape },
  },
  summary: names("externalURLs images isAppOfApps"),
  sync: {
    ...names("revision revisions status"),
    comparedTo: {
      destination: names("name namespace server"),
      ignoreDifferences: differencesShape,
      source: sourceShape,
      sources: [sourceShape],
    },
  },
};

/** Destinations, roles and source namespaces are made by the hub. */
export const projectShape: Shapes = {
  ...names("description sourceRepos"),
  clusterResourceBlacklist: namedKindShape,
  clusterResourceWhitelist: namedKindShape,
  namespaceResourceBlacklist: kindShape,
  namespaceResourceWhitelist: kindShape,
  orphanedResources: { warn: "plain", ignore: namedKindShape },
  signatureKeys: [names("keyID")],
  sourceIntegrity: {
    git: { policies: [{ gpg: names("keys mode"), repos: [names("url")] }] },
  },
  syncWindows: [
    names(
      "andOperator applications clusters description duration kind manualSync namespaces schedule syncOverrun timeZone",
    ),
  ],
};

function names(list: string): Shapes {
  return Object.fromEntries(list.split(" ").map((name) => [name, "plain" as const]));
}
