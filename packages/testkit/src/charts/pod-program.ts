import type { Manifest } from "./helm.ts";

/** The program that a rendered Deployment or StatefulSet would run. */
export interface PodProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
}

/**
 * Reads out the one container, for running its program as a process here. `paths` says where here the folders are that
 * the pod would mount.
 */
export function readPodProgram(workload: Manifest, paths: Readonly<Record<string, string>> = {}): PodProgram {
  const { containers, serviceAccountName } = workload["spec"].template.spec;
  const [{ args = [], env = [] }] = containers;
  return {
    args: args.map((arg: string) => withPaths(arg, paths)),
    env: Object.fromEntries(env.map(({ name, value = "" }: { name: string; value?: string }) => [name, value])),
    serviceAccount: serviceAccountName,
  };
}

function withPaths(text: string, paths: Readonly<Record<string, string>>): string {
  return Object.entries(paths).reduce((result, [from, to]) => result.replace(from, to), text);
}
