// A cluster as the person's own kubectl and helm reach it. Helm runs here and not in the cluster: it has to outlive the agent
// that it replaces, and to be there still when that has to be rolled back.
import type { ClusterDetail } from "@fairlead/contract";
import { Fields } from "@fairlead/kernel";
import { leadsThroughHub } from "../../kubeconfig/index.ts";
import { lastLine } from "../../programs/index.ts";
import { openTarget, type Target } from "../attach/index.ts";
import {
  type FoundInstaller,
  findInstallers,
  findPinned,
  type Installer,
  type Release,
  type ReleasePlace,
} from "./installation.ts";
import { isSaid, type UpgradeOptions } from "./options.ts";
import type { Look } from "./plan.ts";

export function openClusterTarget(cluster: string, options: UpgradeOptions, signal: AbortSignal): Target {
  const { clusterContext, kubeconfig, namespace = "" } = options;
  return openTarget({ context: clusterContext?.get(cluster) ?? cluster, kubeconfig, namespace }, signal);
}

export async function lookAtCluster(target: Target, detail: ClusterDetail, options: UpgradeOptions): Promise<Look> {
  const { context } = target;
  const viewed = await target.kubectl(["config", "view", "--minify", "--output", "json"]);
  if (viewed.code !== 0)
    return {
      why: `your kubeconfig has no context '${context}'`,
      hint: `Name the cluster's context with --cluster-context ${detail.name}=CONTEXT.`,
    };
  if (leadsThroughHub(viewed.stdout))
    return {
      why: `the context '${context}' leads through the hub, and so through the agent to replace`,
      hint: `Name a context that reaches the cluster directly with --cluster-context ${detail.name}=CONTEXT.`,
    };
  const unlike = await compareUid(target, detail);
  if (unlike) return unlike;
  const listed = await target.kubectl(["get", "deployments", ...placeOf(options), "--selector", selector, ...asJson]);
  if (listed.code !== 0) return unreachable(context, lastLine(listed));
  const found = findInstallers(
    new Fields(JSON.parse(listed.stdout))
      .at("items")
      .list()
      .map(({ raw }) => raw),
  );
  const [first, ...others] = found;
  if (first === undefined) return { installation: { by: "nothing" } };
  if (others.length > 0)
    return {
      why: `it has agents of several releases (${found.map(({ installer }) => nameOf(installer)).join(", ")})`,
      hint: "Name the namespace of the right release with --namespace.",
    };
  return await completeLook(target, first, options);
}

const selector = "app.kubernetes.io/part-of=fairlead";
const asJson = ["--output", "json", "--request-timeout", "20s"];

function placeOf({ namespace }: UpgradeOptions): string[] {
  return namespace === undefined ? ["--all-namespaces"] : ["--namespace", namespace];
}

/** A context may lead elsewhere than its name says. */
async function compareUid(target: Target, { name, kubeSystemUid }: ClusterDetail): Promise<Look | undefined> {
  const asked = await target.kubectl(["get", "namespace", "kube-system", ...asJson]);
  if (asked.code !== 0) return unreachable(target.context, lastLine(asked));
  const uid = new Fields(JSON.parse(asked.stdout)).at("metadata", "uid").text();
  if (uid === kubeSystemUid) return undefined;
  return {
    why: `the context '${target.context}' leads to a different cluster than the hub's`,
    hint: `Name the right one with --cluster-context ${name}=CONTEXT.`,
  };
}

function unreachable(context: string, why: string): Look {
  return {
    why: `the cluster can't be reached with the context '${context}': ${why}`,
    hint: `'kubectl --context ${context} get deployments --all-namespaces' must work.`,
  };
}

function nameOf(installer: Installer): string {
  switch (installer.by) {
    case "helm":
      return `${installer.place.namespace}/${installer.place.name}`;
    case "argo-cd":
      return installer.application;
    case "flux":
      return `${installer.namespace}/${installer.name}`;
    case "unknown":
    case "nothing":
      return installer.by;
    default:
      return installer satisfies never;
  }
}

async function completeLook(target: Target, found: FoundInstaller, options: UpgradeOptions): Promise<Look> {
  const { installer, roles } = found;
  if (installer.by !== "helm") return { installation: installer };
  const { place } = installer;
  const release = await readRelease(target, place);
  const given = await target.helm(["get", "values", place.name, "--namespace", place.namespace, "--output", "json"]);
  if (release === undefined || given.code !== 0)
    return {
      why: `Helm can't read the release ${place.namespace}/${place.name}`,
      hint: `'helm history ${place.name} --namespace ${place.namespace} --kube-context ${target.context}' must work.`,
    };
  const pinned = findPinned(JSON.parse(given.stdout)).filter((path) => !isSaid(options, path));
  return { installation: { by: "helm", release: { ...place, ...release, roles, pinned } } };
}

/** Undefined where Helm can't say. */
export async function readRelease(
  target: Target,
  { namespace, name }: ReleasePlace,
): Promise<Pick<Release, "revision" | "goodRevision" | "status"> | undefined> {
  const asked = await target.helm(["history", name, "--namespace", namespace, "--output", "json"]);
  if (asked.code !== 0) return undefined;
  const history = new Fields(JSON.parse(asked.stdout)).list().map((one) => ({
    revision: one.at("revision").number() ?? 0,
    status: one.at("status").text() ?? "unknown",
  }));
  const last = history.at(-1);
  if (last === undefined) return undefined;
  return { ...last, goodRevision: history.findLast(({ status }) => status === "deployed")?.revision ?? last.revision };
}
