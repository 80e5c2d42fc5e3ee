// The program helm for one claim: which version it is, with homes of its own that go with the claim, and without plugins.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildEnvironment, type StopPace, sharedFileMode, sharedFolderMode } from "../../../processes/index.ts";
import type { Programs } from "../../programs.ts";
import type { HelmMajor } from "../arguments.ts";
import { helmErrors } from "../errors.ts";

export interface Helm {
  readonly major: HelmMajor;
  /** For charts and what is fetched. */
  readonly folder: string;
  /** Its repositories and the logins of its registries. */
  readonly configFolder: string;
  run(options: HelmRun): Promise<HelmEnd>;
}

export interface HelmRun {
  readonly args: readonly string[];
  readonly stdin?: string | undefined;
  /** Its stdout is wanted. For a release it holds values, manifests and notes. */
  readonly isRead?: boolean | undefined;
  readonly isRepair?: boolean | undefined;
}

export interface HelmEnd {
  readonly exitCode: number;
  /** Empty unless wanted. */
  readonly stdout: Buffer;
  /** Helm's stderr; it may hold values. */
  readonly said: string;
}

export async function openHelm(programs: Programs, namespace: string): Promise<Helm> {
  const folder = join(programs.folder, "charts");
  const home = join(programs.folder, "helm");
  const configFolder = join(home, "config");
  const kubeconfig = join(programs.folder, "kubeconfig");
  await mkdir(folder, { mode: sharedFolderMode });
  for (const each of ["cache", "config", "data", "plugins"])
    await mkdir(join(home, each), { recursive: true, mode: sharedFolderMode });
  await writeFile(kubeconfig, programs.door.kubeconfig(namespace), { mode: sharedFileMode });
  const environment: ChildEnvironment = {
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(home, "cache"),
    HELM_CONFIG_HOME: configFolder,
    HELM_DATA_HOME: join(home, "data"),
    HELM_PLUGINS: join(home, "plugins"),
    HELM_NO_PLUGINS: "1",
    HELM_DRIVER: "secret",
  };
  return { major: await readMajor(programs, environment), folder, configFolder, run };

  async function run({ args, stdin, isRead = false, isRepair }: HelmRun): Promise<HelmEnd> {
    const said: string[] = [];
    let saidLength = 0;
    const { exitCode, stdout } = await programs.run({
      name: "helm",
      args,
      environment,
      stdin: stdin ?? "",
      pace,
      isRepair,
      ...(!isRead && { onStdout: () => undefined }),
      // A long line comes in pieces, and a value that is masked may lie across two of them.
      onStderr(line, isCut) {
        if (saidLength > maxSaidLength) return;
        saidLength += line.length;
        said.push(isCut ? line : `${line}\n`);
        // Only whole lines: no mask finds a value of which the end is missing.
        if (saidLength > maxSaidLength) while (said.length > 0 && !said.at(-1)?.endsWith("\n")) said.pop();
      },
    });
    return { exitCode, stdout, said: said.join("").trimEnd() };
  }
}

async function readMajor(programs: Programs, environment: ChildEnvironment): Promise<HelmMajor> {
  const args = ["version", "--short"];
  // After a cancel there may still be something to put right.
  const how = { environment, pace, isRepair: true, isQuestion: true, onStderr: () => undefined };
  const version = await programs.versionOf("helm", async () => {
    const { stdout } = await programs.run({ name: "helm", args, ...how });
    const [found] = /^v\d+\.\d+\.\d+/.exec(stdout.toString("utf8").trim()) ?? [];
    if (found === undefined) throw helmErrors.HELM_VERSION_UNSUPPORTED({ version: "of an unknown version" });
    return found;
  });
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === "4") return 4;
  if (major === "3" && Number(minor) >= 17) return 3;
  throw helmErrors.HELM_VERSION_UNSUPPORTED({ version });
}

/** It notes down in the release that it was stopped, and ends. Afterwards the rest is put right. */
const pace: StopPace = { interruptMs: 30_000, terminateMs: 15_000 };
const maxSaidLength = 256 * 1024;
