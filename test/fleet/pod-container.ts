// How a container of a rendered pod runs. A field that the containers of tests don't apply is an error, so that nobody
// takes for tested what only stands in the chart.
import type { Manifest } from "@fairlead/testkit";
import type { ImageRuntime } from "./run-image.ts";

export interface PodUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

export interface PodContainer {
  readonly name: string;
  readonly user: PodUser;
  readonly variables: readonly string[];
  readonly command: readonly string[];
  readonly mounts: readonly VolumeMount[];
  /** A program that the kubelet runs in it before it stops it. */
  readonly preStop: readonly string[] | undefined;
}

export interface VolumeMount {
  readonly volume: string;
  readonly at: string;
  readonly isWritable: boolean;
}

export interface ReadContainerOptions {
  /** A Deployment or StatefulSet. */
  readonly workload: Manifest;
  /** The container's name. */
  readonly name: string;
  readonly runtime: ImageRuntime;
  /** The one that the platform chooses for pods that say none. */
  readonly platformUser?: PodUser | undefined;
}

/** Throws for what can't be done here as the pod says. */
export function readContainer({ workload, name, runtime, platformUser }: ReadContainerOptions): PodContainer {
  const { spec } = workload["spec"].template as { readonly spec: Fields };
  const found = (spec["containers"] as readonly Fields[]).find((one) => one["name"] === name);
  if (found === undefined) throw new Error(`the pod has no container ${name}`);
  const expectOnly = (fields: Fields, known: readonly string[], where: string): void => {
    const other = Object.keys(fields).filter((field) => !known.includes(field));
    if (other.length > 0) throw new Error(`${name}: containers of tests don't apply ${where}${other.join(", ")}`);
  };
  expectOnly(spec, [...podFields, ...ofKubelets.pod], "the pod's ");
  if (spec["shareProcessNamespace"] === true) throw new Error("containers of tests don't share their processes");
  expectOnly(found, [...containerFields, ...ofKubelets.container], "");
  const {
    command = runtime.Entrypoint,
    args = [],
    env = [],
    volumeMounts = [],
    lifecycle = {},
  } = found as {
    readonly command?: readonly string[];
    readonly args?: readonly string[];
    readonly env?: readonly Fields[];
    readonly volumeMounts?: readonly Fields[];
    readonly lifecycle?: { readonly preStop?: { readonly exec?: { readonly command: readonly string[] } } };
  };
  for (const one of env) expectOnly(one, ["name", "value"], "env.");
  for (const one of volumeMounts) expectOnly(one, ["name", "mountPath", "readOnly"], "volumeMounts.");
  expectOnly(lifecycle, ["preStop"], "lifecycle.");
  expectOnly(lifecycle.preStop ?? {}, ["exec"], "lifecycle.preStop.");
  return {
    name,
    user: readUser(spec["securityContext"] as Fields, (found["securityContext"] ?? {}) as Fields),
    variables: [...runtime.Env, ...env.map((one) => `${one["name"]}=${one["value"] ?? ""}`)],
    command: [...command, ...args],
    mounts: volumeMounts.map((one) => ({
      volume: String(one["name"]),
      at: String(one["mountPath"]),
      isWritable: one["readOnly"] !== true,
    })),
    preStop: lifecycle.preStop?.exec?.command,
  };

  function readUser(ofPod: Fields, ofContainer: Fields): PodUser {
    expectOnly(ofPod, [...userFields, "fsGroup", ...ofKubelets.securityContext], "the pod's securityContext.");
    expectOnly(ofContainer, [...userFields, ...Object.keys(bounds)], "securityContext.");
    for (const [field, value] of Object.entries(bounds)) {
      const said = JSON.stringify(ofContainer[field]);
      if (said !== JSON.stringify(value)) throw new Error(`${name}: containers of tests can't have ${field} ${said}`);
    }
    const choose = (field: "runAsUser" | "runAsGroup", chosen: number | undefined): number => {
      const value = ofContainer[field] ?? ofPod[field] ?? chosen;
      if (typeof value !== "number") throw new Error(`${name}: neither the pod nor the platform says ${field}`);
      return value;
    };
    const uid = choose("runAsUser", platformUser?.uid);
    if (uid === 0) throw new Error(`${name}: the pod doesn't run as root`);
    const groups = typeof ofPod["fsGroup"] === "number" ? [ofPod["fsGroup"]] : (platformUser?.groups ?? []);
    return { uid, gid: choose("runAsGroup", platformUser?.gid), groups };
  }
}

// Tests look into these fields of whatever Helm rendered.
type Fields = Readonly<Record<string, unknown>>;

const podFields = ["containers", "volumes", "securityContext", "shareProcessNamespace"];
const containerFields = ["name", "command", "args", "env", "volumeMounts", "securityContext", "lifecycle"];
const userFields = ["runAsUser", "runAsGroup", "runAsNonRoot"];
/** All containers of tests have these, and nothing else. */
const bounds = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  privileged: false,
  capabilities: { drop: ["ALL"] },
};

/** What kubelets and schedulers do around the containers; nothing inside of one depends on it. */
const ofKubelets = {
  pod: [
    "serviceAccountName",
    "serviceAccount",
    "automountServiceAccountToken",
    "enableServiceLinks",
    "dnsPolicy",
    "terminationGracePeriodSeconds",
    "restartPolicy",
    "imagePullSecrets",
    "priorityClassName",
    "schedulerName",
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
  ],
  container: [
    "image",
    "imagePullPolicy",
    "ports",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "resources",
    "terminationMessagePath",
    "terminationMessagePolicy",
  ],
  // The profile is the container runtime's.
  securityContext: ["seccompProfile", "fsGroupChangePolicy"],
};
