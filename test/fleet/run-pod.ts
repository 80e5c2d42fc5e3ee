// The containers of one pod without a kubelet: each with files, processes and IPC of its own, and all with the pod's volumes
// and network.
import { execFile } from "node:child_process";
import { chmod, chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Manifest } from "@fairlead/testkit";
import { type PodContainer, type PodUser, readContainer } from "./pod-container.ts";
import { type Container, type ImageRuntime, type Mount, runContainer } from "./run-image.ts";

export interface PodOptions {
  /** Where the image of all its containers is unpacked. */
  readonly rootfs: string;
  readonly runtime: ImageRuntime;
  /** A Deployment or StatefulSet. */
  readonly workload: Manifest;
  /** Gets the pod's emptyDirs and logs. */
  readonly folder: string;
  /** Folders of this machine in place of volumes that a cluster fills. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly platformUser?: PodUser | undefined;
}

export interface Pod {
  /** The folder of this machine that has the volume's files. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly containers: readonly PodContainer[];
  /** Runs one of its containers. */
  start(name: string, options?: StartOptions): Promise<Container>;
}

export interface StartOptions {
  /** Runs in place of the container's own program. */
  readonly command?: readonly string[];
  readonly readyWhen?: () => Promise<boolean>;
}

/** Throws for what isn't applied here. */
export async function openPod(options: PodOptions): Promise<Pod> {
  const { rootfs, workload, folder } = options;
  const { spec } = workload["spec"].template;
  const names = (spec.containers as readonly { readonly name: string }[]).map(({ name }) => name);
  const containers = names.map((name) => readContainer({ ...options, name }));
  const group = containers[0]?.user.groups[0];
  const volumes: Record<string, string> = { ...options.volumes };
  for (const { name, emptyDir } of spec.volumes ?? []) {
    if (emptyDir !== undefined) volumes[name] = await makeEmptyDir(join(folder, `volume-${name}`), group);
    else if (volumes[name] === undefined) throw new Error(`nobody fills the volume ${name}`);
  }
  return { volumes, containers, start };

  async function start(name: string, { command, readyWhen }: StartOptions = {}): Promise<Container> {
    const container = containers.find((one) => one.name === name);
    if (container === undefined) throw new Error(`the pod has no container ${name}`);
    const { user, variables, mounts, preStop } = container;
    const running = await runContainer({
      name,
      rootfs,
      user,
      variables,
      command: command ?? container.command,
      mounts: mounts.map(({ volume, at, isWritable }): Mount => ({ at, from: placeOf(volume), isWritable })),
      logFile: join(folder, `${name}.log`),
      ...(readyWhen !== undefined && { readyWhen }),
    });
    const stop = async (): ReturnType<Container["stop"]> => {
      if (preStop !== undefined) await runInside(running, user, preStop);
      return await running.stop();
    };
    return { ...running, stop, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  }

  function placeOf(volume: string): string {
    const place = volumes[volume];
    if (place === undefined) throw new Error(`the pod has no volume ${volume}`);
    return place;
  }
}

/** As a kubelet makes one for a pod with an fsGroup. */
async function makeEmptyDir(path: string, group: number | undefined): Promise<string> {
  await mkdir(path);
  if (group !== undefined) await chown(path, 0, group);
  await chmod(path, 0o2777);
  return path;
}

/** Like a kubelet's exec. It waits for the end. */
async function runInside({ pid }: Container, { uid, gid }: PodUser, command: readonly string[]): Promise<void> {
  const root = `/proc/${pid}/root`;
  const spaces = ["--mount", "--pid", "--ipc", "--uts", `--root=${root}`, `--wd=${root}`];
  const words = [`--target=${pid}`, ...spaces, `--setuid=${uid}`, `--setgid=${gid}`, ...command];
  await promisify(execFile)("nsenter", words, { timeout: 60_000 });
}
