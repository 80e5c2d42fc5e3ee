import type { Manifest } from "./helm.ts";

/** The program that a rendered Deployment or StatefulSet would run. */
export interface PodProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
}

/**
 * Reads out one container, the first unless `name` is given, for running its program as a process here. `paths` says where
 * here the folders are that the pod would mount.
 */
export function readPodProgram(
  workload: Manifest,
  paths: Readonly<Record<string, string>> = {},
  { container: name }: { readonly container?: string } = {},
): PodProgram {
  const { containers, serviceAccountName } = workload["spec"].template.spec;
  const found = containers.find((one: { name: string }) => name === undefined || one.name === name);
  if (found === undefined) throw new Error(`${workload.metadata.name} has no container ${name}`);
  const { args = [], env = [] } = found;
  return {
    args: args.map((arg: string) => withPaths(arg, paths)),
    env: Object.fromEntries(env.flatMap(readVariable)),
    serviceAccount: serviceAccountName,
  };
}

/** A value that only a kubelet knows is left out. */
function readVariable({ name, value = "", valueFrom }: { name: string; value?: string; valueFrom?: object }) {
  return valueFrom === undefined ? [[name, value]] : [];
}

function withPaths(text: string, paths: Readonly<Record<string, string>>): string {
  return Object.entries(paths).reduce((result, [from, to]) => result.replace(from, to), text);
}
