// Finds out from the agent's Deployments whether Helm, Argo CD or Flux installed them.
import { type Role, roleSchema } from "@fairlead/contract";
import { Fields } from "@fairlead/kernel";

export type Installation =
  | { readonly by: "helm"; readonly release: Release }
  | { readonly by: "argo-cd"; readonly application: string }
  | {
      readonly by: "flux";
      readonly kind: "HelmRelease" | "Kustomization";
      readonly namespace: string;
      readonly name: string;
    }
  /** Deployments of the chart that nobody of these has. */
  | { readonly by: "unknown" }
  | { readonly by: "nothing" };

export interface ReleasePlace {
  readonly namespace: string;
  readonly name: string;
}

export interface Release extends ReleasePlace {
  /** The last one. */
  readonly revision: number;
  /** The last one that Helm brought to its end, to which a failed upgrade goes back. */
  readonly goodRevision: number;
  /** Helm's word, such as `deployed`. */
  readonly status: string;
  /** The roles that have a Deployment in the release. */
  readonly roles: readonly Role[];
  /** Values that name a tag or a digest of an image, which a new chart leaves as they are. */
  readonly pinned: readonly string[];
}

export type Installer =
  | Exclude<Installation, { readonly by: "helm" }>
  | { readonly by: "helm"; readonly place: ReleasePlace };

export interface FoundInstaller {
  readonly installer: Installer;
  readonly roles: readonly Role[];
}

/** Several where a cluster has agents of several hubs. */
export function findInstallers(deployments: readonly unknown[]): FoundInstaller[] {
  const found = new Map<string, { installer: Installer; roles: Role[] }>();
  for (const deployment of deployments.map((one) => new Fields(one))) {
    const role = roleOf(deployment);
    if (role === undefined) continue;
    const installer = installerOf(deployment);
    const key = JSON.stringify(installer);
    found.set(key, { installer, roles: [...(found.get(key)?.roles ?? []), role] });
  }
  return [...found.values()];
}

/** Undefined for a Deployment that isn't the agent's. */
function roleOf(deployment: Fields): Role | undefined {
  const labels = deployment.at("metadata", "labels");
  if (labels.at("app.kubernetes.io/part-of").text() !== "fairlead") return undefined;
  const { data } = roleSchema.safeParse(labels.at("app.kubernetes.io/component").text());
  return data;
}

/** Argo CD and Flux go first: Flux installs by Helm, and both would set back whatever this command did. */
function installerOf(deployment: Fields): Installer {
  const metadata = deployment.at("metadata");
  const annotation = (name: string): string | undefined => metadata.at("annotations", name).text();
  const label = (name: string): string | undefined => metadata.at("labels", name).text();
  // APPLICATION:GROUP/KIND:NAMESPACE/NAME
  const tracked = annotation("argocd.argoproj.io/tracking-id")?.split(":")[0] ?? label("argocd.argoproj.io/instance");
  if (tracked !== undefined) return { by: "argo-cd", application: tracked };
  for (const kind of ["HelmRelease", "Kustomization"] as const) {
    const group = `${kind === "HelmRelease" ? "helm" : "kustomize"}.toolkit.fluxcd.io`;
    const [name, namespace = ""] = [label(`${group}/name`), label(`${group}/namespace`)];
    if (name !== undefined) return { by: "flux", kind, namespace, name };
  }
  const name = annotation("meta.helm.sh/release-name");
  const namespace = annotation("meta.helm.sh/release-namespace") ?? metadata.at("namespace").text() ?? "";
  return name === undefined ? { by: "unknown" } : { by: "helm", place: { namespace, name } };
}

/** Lists the release's own values that pin an image to a tag or digest, as paths. */
export function findPinned(values: unknown): string[] {
  return pins.filter((path) => (new Fields(values).at(...path.split(".")).text() ?? "") !== "");
}

const pins = ["image.tag", "image.digest", "execute.image.tag", "execute.image.digest"];
