// A container of an image without a container engine: the image's files as a root of its own that can't be written, the
// user, the groups and the mounts that the pod says, no capabilities, and nothing of this machine but its network.
// Made by a mount namespace, so it needs root, and Linux.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Manifest } from "@fairlead/testkit";
import { type RunningProcess, readPodProgram, startProcess } from "@fairlead/testkit";

/** What an image says about its containers. */
export interface ImageRuntime {
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly User: string;
}

export interface Mount {
  /** Where in the container. */
  readonly at: string;
  /** Which folder of this machine. */
  readonly from: string;
  readonly isWritable?: boolean;
}

export interface RunImageOptions {
  readonly name: string;
  /** Where the image is unpacked. */
  readonly rootfs: string;
  readonly runtime: ImageRuntime;
  /** A Deployment or StatefulSet, for its arguments, variables and user. */
  readonly workload: Manifest;
  readonly mounts: readonly Mount[];
  /** Arguments after the pod's. */
  readonly args?: readonly string[];
  /** What a kubelet adds to the pod's variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly readyWhen: () => Promise<boolean>;
}

export function runImage(options: RunImageOptions): Promise<RunningProcess> {
  const { name, rootfs, runtime, workload, mounts, args = [], env = {}, logFile, readyWhen } = options;
  const pod = readPodProgram(workload);
  const [{ command }] = workload["spec"].template.spec.containers;
  if (command !== undefined) throw new Error("the pod doesn't run the image's own program");
  const { runAsUser, runAsGroup, fsGroup } = workload["spec"].template.spec.securityContext;
  const user = { uid: runAsUser, gid: runAsGroup, groups: [fsGroup] };
  const variables = Object.entries({ ...pod.env, ...env }).map(([key, value]) => `${key}=${value}`);
  return startProcess({
    name,
    command: "unshare",
    args: inContainer({
      ...{ rootfs, user, mounts },
      variables: [...runtime.Env, ...variables],
      command: [...runtime.Entrypoint, ...pod.args, ...args],
    }),
    logFile,
    readyWhen,
    readyTimeoutMs: 120_000,
  });
}

/** What the image's Node says to these arguments, run by a user that the image doesn't know. */
export function askImage(options: { rootfs: string; runtime: ImageRuntime; args: readonly string[] }): string {
  const { rootfs, runtime, args } = options;
  const user = { uid: 10_001, gid: 10_002, groups: [10_003] };
  const command = [...runtime.Entrypoint.slice(0, 1), ...args];
  const words = inContainer({ rootfs, user, mounts: [], variables: runtime.Env, command });
  const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

interface Container {
  readonly rootfs: string;
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
  readonly mounts: readonly Mount[];
  readonly variables: readonly string[];
  readonly command: readonly string[];
}

function inContainer({ rootfs, user, mounts, variables, command }: Container): string[] {
  // Only what becoming another user in another root takes, and that user has none of it.
  const few = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all,+setuid,+setgid,+sys_chroot"];
  const chroot = ["/usr/sbin/chroot", "/usr/bin/chroot"].find(existsSync) ?? "chroot";
  return [
    ...["--mount", "--ipc", "--uts", "sh", "-ec", script, "sh", rootfs],
    ...mounts.flatMap(({ at, from, isWritable }) => [inRoot(at), from, isWritable ? "rw" : "ro"]),
    ...["--", "env", "-i", ...variables, "/usr/bin/setpriv", ...few],
    ...[chroot, `--userspec=${user.uid}:${user.gid}`, `--groups=${user.groups.join()}`, rootfs, ...command],
  ];
}

/** /var/run is a link to /run; from outside of the image it would lead to ours. */
function inRoot(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}

// The last mount closes the root: what is mounted on it stays as it is.
const script = `
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev"
mount --bind /proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --bind "$2" "$root$1"
  [ "$3" = rw ] || mount -o remount,bind,ro "$root$1"
  shift 3
done
shift
mount -o remount,bind,ro "$root"
if touch "$root/fairlead" 2>/dev/null; then exit 1; fi
exec "$@"`;
