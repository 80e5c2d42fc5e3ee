// An installation of argocd-agent that runs: the objects of the hub's cluster, by a person's own rights there.
import { type ApiResource, type KubeClient, listMetadata, listObjects } from "@fairlead/kube";
import type { Manifest } from "./manifest.ts";
import { type Installation, toInstallation } from "./read-installation.ts";

export async function readRunning(options: {
  readonly client: KubeClient;
  /** The principal's, which is Argo CD's own. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}): Promise<Installation> {
  const { client, namespace, signal } = options;
  const objects = await Promise.all([
    listSecrets(options),
    listManifests({ client, kind: "Application", signal }),
    ...(["AppProject", "Deployment", "ConfigMap"] as const).map((kind) =>
      listManifests({ client, kind, namespace, signal }),
    ),
  ]);
  return toInstallation(objects.flat());
}

/** In all namespaces unless told. */
export async function listManifests(options: {
  readonly client: KubeClient;
  readonly kind: HubKind;
  readonly namespace?: string;
  readonly signal: AbortSignal;
}): Promise<Manifest[]> {
  const { kind, ...rest } = options;
  const found: Manifest[] = [];
  for await (const page of listObjects({ ...rest, resource: { ...resources[kind], kind }, pageSize: 500 }))
    found.push(...(page as readonly Manifest[]).map((object) => ({ ...object, kind })));
  return found;
}

/** Asks for nothing but their metadata. */
async function listSecrets({ client, namespace, signal }: Parameters<typeof readRunning>[0]): Promise<Manifest[]> {
  const found: Manifest[] = [];
  let continueToken: string | undefined;
  do {
    const page = await listMetadata({
      client,
      namespace,
      signal,
      limit: 500,
      continueToken,
      resource: resources.Secret,
    });
    found.push(...page.items.map((metadata) => ({ kind: "Secret", metadata })));
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
  return found;
}

export type HubKind = "Application" | "AppProject" | "ConfigMap" | "Deployment" | "Secret";

/** The resources that are read in the hub's cluster. */
export const resources: Readonly<Record<HubKind, Pick<ApiResource, "group" | "version" | "resource">>> = {
  Application: { group: "argoproj.io", version: "v1alpha1", resource: "applications" },
  AppProject: { group: "argoproj.io", version: "v1alpha1", resource: "appprojects" },
  ConfigMap: { group: "", version: "v1", resource: "configmaps" },
  Deployment: { group: "apps", version: "v1", resource: "deployments" },
  Secret: { group: "", version: "v1", resource: "secrets" },
};
