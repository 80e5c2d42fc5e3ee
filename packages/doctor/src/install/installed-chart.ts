// Reads which chart an addon was installed from, out of the release or the application that keeps it. Pure.
import { Fields } from "@fairlead/kernel";
import { type ClusterObject, tryParseYaml } from "../snapshot/index.ts";
import type { InstallWay } from "./plan.ts";

export interface InstalledChart {
  readonly way: InstallWay;
  readonly chart: string;
  readonly version: string;
  /** Only an application says it. */
  readonly repository?: string;
  readonly namespace: string;
  readonly release: string;
  /** A person's own values, without the chart's. They may hold secrets. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the last change has ended well. If not, it is made again. */
  readonly isSettled: boolean;
  readonly application?: ClusterObject;
  /** The version and values that an application has synced last, where they differ from these. */
  readonly synced?: { readonly version: string; readonly values: Readonly<Record<string, unknown>> };
}

export type ReadApplication =
  | { readonly is: "chart"; readonly installed: InstalledChart }
  /** Somebody else says what is in it, or it says it in a way that can't be merged with. */
  | { readonly is: "other"; readonly why: string };

export function readApplication(application: ClusterObject): ReadApplication {
  const spec = new Fields(application).at("spec");
  const metadata = new Fields(application).at("metadata");
  const owner = metadata.at("ownerReferences").list()[0];
  if (owner) return other(`it is kept by the ${owner.at("kind").text()} '${owner.at("name").text()}'; change it there`);
  const tracked = metadata.at("annotations", "argocd.argoproj.io/tracking-id").text();
  if (tracked) return other(`it is kept by the application '${tracked.split(":")[0]}'; change it there`);
  const source = spec.at("source");
  const chart = source.at("chart").text();
  const version = source.at("targetRevision").text();
  if (spec.at("sources").list().length > 0) return other("it has several sources; change it where it comes from");
  if (chart === undefined || version === undefined) return other("it takes its chart from git; change it there");
  const helm = source.at("helm");
  const unmergeable = ["parameters", "fileParameters", "valueFiles"].find((name) => helm.at(name).list().length > 0);
  if (unmergeable) return other(`its values stand in ${unmergeable}; put them into valuesObject first`);
  const values = readValues(helm);
  if (values === undefined) return other("its values are no map");
  return {
    is: "chart",
    installed: {
      way: "argocd",
      chart,
      version,
      values,
      application,
      isSettled: isSettled(application),
      repository: withScheme(source.at("repoURL").text() ?? ""),
      namespace: spec.at("destination", "namespace").text() ?? "default",
      release: helm.at("releaseName").text() ?? application.metadata.name,
      ...readSynced(application),
    },
  };
}

function readSynced(application: ClusterObject): Pick<InstalledChart, "synced"> {
  const source = new Fields(application).at("status", "history").list().at(-1)?.at("source");
  const version = source?.at("targetRevision").text();
  const values = source && readValues(source.at("helm"));
  return version !== undefined && values !== undefined ? { synced: { version, values } } : {};
}

function other(why: string): ReadApplication {
  return { is: "other", why };
}

/** The map counts where both are given, as it does for Argo CD. */
function readValues(helm: Fields): Readonly<Record<string, unknown>> | undefined {
  const text = helm.at("values").text();
  const value = helm.at("valuesObject").exists
    ? helm.at("valuesObject").raw
    : text === undefined
      ? {}
      : tryParseYaml(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function isSettled(application: ClusterObject): boolean {
  const status = new Fields(application).at("status");
  return status.at("sync", "status").text() === "Synced" && status.at("health", "status").text() === "Healthy";
}

/** Argo CD names repositories of the OCI kind without their scheme. */
function withScheme(repository: string): string {
  return repository === "" || repository.includes("://") ? repository : `oci://${repository}`;
}
