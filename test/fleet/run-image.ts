// A container of an image without a container engine: the image's files as a root of its own that can't be written, the
// user, the groups and the mounts that the pod says, no capabilities, processes numbered from 1, and nothing of this
// machine but its network. Made by namespaces, so it needs root, and Linux.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type ExitInfo, type Manifest, startProcess } from "@fairlead/testkit";
import { type PodUser, readContainer } from "./pod-container.ts";

/** The part of an image that says how its containers run. */
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

export interface Container extends AsyncDisposable {
  /** The pid of the container's first process, on this machine. */
  readonly pid: number;
  readonly exited: Promise<ExitInfo>;
  /** TERM to the first process, and KILL when it takes long. */
  stop(): Promise<ExitInfo>;
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
  /** The variables that a kubelet adds to the pod's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly readyWhen: () => Promise<boolean>;
}

/** Runs the one container of a pod. Throws for what isn't applied here. */
export function runImage(options: RunImageOptions): Promise<Container> {
  const { runtime, workload, mounts, args = [], env = {}, ...rest } = options;
  const [first, second] = workload["spec"].template.spec.containers;
  if (second !== undefined) throw new Error("the pod has several containers");
  const container = readContainer({ workload, name: first.name, runtime });
  const missing = container.mounts.filter(({ at }) => !mounts.some((mount) => mount.at === at));
  if (missing.length > 0) throw new Error(`nothing is mounted at ${missing.map(({ at }) => at).join(", ")}`);
  return runContainer({
    ...rest,
    mounts,
    user: container.user,
    variables: [...container.variables, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)],
    command: [...container.command, ...args],
  });
}

export interface RunContainerOptions extends ContainerOptions {
  readonly name: string;
  readonly logFile: string;
  readonly readyWhen?: () => Promise<boolean>;
}

export async function runContainer(options: RunContainerOptions): Promise<Container> {
  const { name, logFile, readyWhen } = options;
  const outside = await startProcess({
    name,
    command: "unshare",
    args: inContainer(options),
    logFile,
    readyTimeoutMs: 120_000,
    ...(readyWhen !== undefined && { readyWhen }),
  });
  // It waits for the first process inside, and lets no signal through.
  const pid = Number(readFileSync(`/proc/${outside.pid}/task/${outside.pid}/children`, "utf8").trim());
  const { exited } = outside;
  const stop = async () => {
    if (!outside.hasExited && pid !== 0) process.kill(pid, "SIGTERM");
    const timer = setTimeout(() => void outside.stop({ graceMs: 0 }), stopMs);
    return exited.finally(() => clearTimeout(timer));
  };
  return { pid, exited, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

/** Runs the image's Node with these arguments, as a user that the image doesn't know, and gives its output. */
export function askImage(options: { rootfs: string; runtime: ImageRuntime; args: readonly string[] }): string {
  const { rootfs, runtime, args } = options;
  const node = runtime.Entrypoint.findIndex((word) => word.endsWith("/node"));
  return askContainer({
    rootfs,
    variables: runtime.Env,
    command: [...runtime.Entrypoint.slice(node, node + 1), ...args],
  });
}

/** Runs a program of an image, as a user that the image does not know, and gives what it prints. */
export function askContainer(options: Pick<ContainerOptions, "rootfs" | "variables" | "command">): string {
  const user = { uid: 10_001, gid: 10_002, groups: [10_003] };
  const words = inContainer({ ...options, user, mounts: [] });
  const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`${options.command.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

interface ContainerOptions {
  readonly rootfs: string;
  readonly user: PodUser;
  /** Root may have those that container engines give it unless told otherwise. Nobody else gets any. */
  readonly hasRights?: boolean;
  readonly mounts: readonly Mount[];
  readonly variables: readonly string[];
  readonly command: readonly string[];
}

function inContainer({ rootfs, user, hasRights = false, mounts, variables, command }: ContainerOptions): string[] {
  const { privileges, becomes } = toUser(user, hasRights);
  const chroot = ["/usr/sbin/chroot", "/usr/bin/chroot"].find(existsSync) ?? "chroot";
  return [
    "--mount",
    "--ipc",
    "--uts",
    "--pid",
    "--fork",
    "--kill-child",
    "sh",
    "-ec",
    script,
    "sh",
    rootfs,
    ...mounts.flatMap(({ at, from, isWritable }) => [inRoot(at), from, isWritable ? "rw" : "ro"]),
    "--",
    "env",
    "-i",
    ...variables,
    "/usr/bin/setpriv",
    ...privileges,
    chroot,
    ...becomes,
    rootfs,
    ...command,
  ];
}

function toUser({ uid, gid, groups }: ContainerOptions["user"], hasRights: boolean) {
  const becomes = [`--userspec=${uid}:${gid}`, `--groups=${groups.join()}`];
  if (uid !== 0) {
    // Only what becoming another user in another root takes, and that user has none of it.
    const few = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all,+setuid,+setgid,+sys_chroot"];
    return { privileges: few, becomes };
  }
  if (hasRights)
    return { privileges: ["--inh-caps=-all", `--bounding-set=${["-all", ...ofEngines].join(",+")}`], becomes };
  // A root to whom being root gives no rights. The one that it takes to get into another root stays.
  const one = "-all,+sys_chroot";
  const caps = [`--inh-caps=${one}`, `--ambient-caps=${one}`, `--bounding-set=${one}`];
  return { privileges: [`--groups=${groups.join()}`, "--securebits=+noroot,+noroot_locked", ...caps], becomes: [] };
}

/** The capabilities that Docker and containerd leave to root. */
const ofEngines = [
  "chown",
  "dac_override",
  "fowner",
  "fsetid",
  "kill",
  "setgid",
  "setuid",
  "setpcap",
  "net_bind_service",
  "net_raw",
  "sys_chroot",
  "mknod",
  "audit_write",
  "setfcap",
];

const stopMs = 30_000;

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
mount -t proc proc "$root/proc"
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
