// A process confined as the charts confine a pod's: nobody, without capabilities, on a file system that can't be written,
// with what the pod would mount under /run. Made by a mount namespace of its own, so it needs root, and Linux.
import { spawnSync } from "node:child_process";
import { startProcess } from "@fairlead/testkit";

type Started = ReturnType<typeof startProcess>;

export interface ConfineOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** A folder whose content stands under /run, as a pod's Secrets do. */
  readonly run: string;
  /** The one folder that can be written. */
  readonly volume?: string;
  readonly readyWhen: () => Promise<boolean>;
}

/** Returns an empty text when this machine lets us, or else why not. */
export function whyNotConfined(): string {
  if (process.getuid?.() !== 0) return "only root can make mounts";
  const probe = spawnSync(ownNamespace, [
    "--mount",
    "sh",
    "-ec",
    `${mounts}\nexec ${nobody} true`,
    "sh",
    "/var/empty",
    "",
  ]);
  return probe.status === 0 ? "" : "this machine has no mount namespaces, or no setpriv";
}

export function startConfined(options: ConfineOptions): Started {
  const { name, command, args, env, logFile, run, volume = "", readyWhen } = options;
  const script = `${mounts}\nshift 2\nexec ${nobody} "$@"`;
  return startProcess({
    name,
    command: ownNamespace,
    args: ["--mount", "sh", "-ec", script, "sh", run, volume, command, ...args],
    env,
    logFile,
    readyWhen,
    readyTimeoutMs: 60_000,
  });
}

const ownNamespace = "unshare";
const mounts = `
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs /run
if [ -d "$1" ]; then cp -a "$1/." /run/; fi
if [ -n "$2" ]; then mount --bind "$2" "$2"; fi
mount -o remount,bind,ro /run
mount -o remount,bind,ro /
if touch /tmp/fairlead-confined 2>/dev/null; then exit 1; fi`;
const nobody =
  "setpriv --reuid 65532 --regid 65532 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs --";
