// Prepares a cluster for the components of Argo CD that are installed in it.
import { randomBytes } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AppliedObject, applyObjects, type ClusterAccess } from "../cluster/index.ts";
import { ensureKeptFiles } from "../tools/index.ts";
import { prepareArgoCrds } from "./prepare-argo-crds.ts";

export interface ArgoOptions {
  /** Argo CD's own. */
  readonly namespace?: string;
  /** Others in which applications may be. `*` is all. */
  readonly applicationNamespaces?: readonly string[];
  /** The data of the ConfigMap argocd-cm. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A cluster in which Argo CD's components can start. */
export interface Argo {
  readonly cluster: ClusterAccess;
  readonly namespace: string;
  readonly applicationNamespaces: readonly string[];
}

export const adminPassword = "a password for tests";

/** Makes the namespaces, the release's ConfigMaps, the Secret, and a project that lets applications be anywhere. */
export async function prepareArgoCd(cluster: ClusterAccess, options: ArgoOptions = {}): Promise<Argo> {
  const { namespace = "argocd", applicationNamespaces = [], settings = {} } = options;
  await prepareArgoCrds(cluster);
  const others = applicationNamespaces.filter((name) => name !== "*");
  await applyObjects(cluster.api, [...new Set([namespace, ...others])].map(namespaceOf));
  const made = [...(await configMaps(settings)), secret(), defaultProject()];
  await applyObjects(
    cluster.api,
    made.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })),
  );
  return { cluster, namespace, applicationNamespaces };
}

function namespaceOf(name: string): AppliedObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

async function configMaps(settings: Readonly<Record<string, string>>): Promise<AppliedObject[]> {
  const folder = join(await ensureKeptFiles("argocd"), "manifests", "base", "config");
  const maps: AppliedObject[] = [];
  for await (const file of glob("*-cm.json", { cwd: folder })) {
    const map = JSON.parse(await readFile(join(folder, file), "utf8")) as AppliedObject & { data?: object };
    maps.push(map.metadata.name === "argocd-cm" ? { ...map, data: { ...map.data, ...settings } } : map);
  }
  return maps;
}

function secret(): AppliedObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-secret", labels: { "app.kubernetes.io/part-of": "argocd" } },
    stringData: {
      "server.secretkey": randomBytes(32).toString("base64"),
      "admin.password": adminPasswordHash,
      "admin.passwordMtime": "2026-01-01T00:00:00Z",
    },
  };
}

/** Made once by `argocd account bcrypt`, whose start takes longer than all else here. */
const adminPasswordHash = "$2a$10$BGzGjaLe.STiihvp7W8Mle.tdxtJUhyL7xNCZ4n7jW3OIF48zSeYG";

function defaultProject(): AppliedObject {
  const anything = { group: "*", kind: "*" };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "default" },
    spec: {
      sourceRepos: ["*"],
      sourceNamespaces: ["*"],
      destinations: [{ namespace: "*", server: "*" }],
      clusterResourceWhitelist: [anything],
    },
  };
}
