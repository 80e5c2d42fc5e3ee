// OpenTofu with its source, its variables and the state in the cluster, ready to plan.
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Programs } from "../programs.ts";
import type { Task } from "../types.ts";
import { tofuErrors } from "./errors.ts";
import { checkBackend, writeBackend } from "./prepare/backend.ts";
import { prepareEnvironment, type TofuFiles, tofuFiles } from "./prepare/environment.ts";
import { prepareSource } from "./prepare/source.ts";
import { resolveVariables } from "./prepare/variables.ts";
import { ensureState } from "./state/first-state.ts";
import { pushUnsaved } from "./state/unsaved.ts";
import { createTofuCli, describeErrors, type TofuCli } from "./tofu-cli.ts";
import type { TofuSpec } from "./types.ts";

export interface Session {
  readonly task: Task<TofuSpec>;
  readonly cli: TofuCli;
  /** Where OpenTofu runs. */
  readonly folder: string;
  readonly files: TofuFiles;
  readonly commit: string | undefined;
  readonly version: string;
}

/** Nothing in the cluster is touched yet. */
export async function openSession(options: {
  readonly task: Task<TofuSpec>;
  readonly programs: Programs;
  readonly commit?: string | undefined;
}): Promise<Session> {
  const { task, programs } = options;
  const files = tofuFiles(programs, task.spec);
  const environment = await prepareEnvironment(task, programs);
  const version = await readVersion(createTofuCli({ programs, folder: programs.folder, environment, log: task.log }));
  const { folder, commit } = await prepareSource(options);
  await writeBackend(folder, task.spec);
  // OpenTofu writes a state that it can't store to this name.
  await rm(join(folder, "errored.tfstate"), { recursive: true, force: true });
  await symlink(files.erroredFile, join(folder, "errored.tfstate"));
  const variables = await resolveVariables(task.spec, task.secrets);
  await writeFile(files.variablesFile, JSON.stringify(variables), { mode: 0o600 });
  const cli = createTofuCli({ programs, folder, environment, log: task.log });
  return { task, cli, folder, files, commit, version };
}

/** Needs the lock. */
export async function openState(session: Session): Promise<void> {
  const { task, cli, files, version } = session;
  await ensureState(task, version);
  const told = await cli.run(["init", "-input=false", `-var-file=${files.variablesFile}`]);
  task.signal.throwIfAborted();
  if (told.exitCode !== 0) throw tofuErrors.TOFU_INIT_FAILED({ detail: describeErrors(told) });
  await checkBackend(files.dataFolder, task.spec);
  await checkModules(session);
  await pushUnsaved(session);
}

/** Modules of the source itself are the source. */
async function checkModules({ task, files }: Session): Promise<void> {
  const text = await readFile(join(files.dataFolder, "modules", "modules.json"), "utf8").catch(() => "{}");
  const { Modules = [] } = JSON.parse(text) as { Modules?: readonly { readonly Source?: string }[] };
  for (const { Source: source = "" } of Modules)
    if (source !== "" && !/^\.{1,2}\//.test(source)) task.mayUse({ is: "tofu-module", source });
}

async function readVersion(cli: TofuCli): Promise<string> {
  const { stdout } = await cli.read(["version", "-json"]);
  const version = /"terraform_version":\s*"([^"]+)"/.exec(stdout)?.[1] ?? "unknown";
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  if (Number(major) !== 1 || !(Number(minor) >= 11)) throw tofuErrors.TOFU_VERSION_UNSUPPORTED({ version });
  return version;
}
