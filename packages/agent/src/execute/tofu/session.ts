// OpenTofu with its source, its variables and the state in the cluster, ready to plan.
import { existsSync } from "node:fs";
import { access, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { watchSize } from "../../git/index.ts";
import { readRunFile, sharedFileMode } from "../../processes/index.ts";
import { cutText } from "../cut-text.ts";
import type { Programs } from "../programs.ts";
import type { Task } from "../types.ts";
import { tofuErrors } from "./errors.ts";
import { checkBackend, writeBackend } from "./prepare/backend.ts";
import { openTofuFiles, prepareEnvironment, type TofuFiles } from "./prepare/environment.ts";
import { type Inspection, inspectSource } from "./prepare/inspect-source.ts";
import {
  foreignModules,
  hasForeignModules,
  isLocal,
  judgeSource,
  needsOf,
  type SourceNeeds,
} from "./prepare/judge-source.ts";
import { prepareSource } from "./prepare/source.ts";
import { resolveVariables } from "./prepare/variables.ts";
import { chooseMirror, isProviderMissing, type Providers } from "./providers.ts";
import { requireVariables } from "./require-variables.ts";
import { ensureState } from "./state/first-state.ts";
import type { ManagedSecrets } from "./state/managed-secrets.ts";
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
  readonly programs: Programs;
  readonly managed: ManagedSecrets;
  /** Of the source itself; undefined without a fence. */
  readonly inspection: Inspection | undefined;
  readonly cache: Providers["cache"];
  /** Where providers come from; undefined: from registries. */
  readonly mirror: string | undefined;
}

/** Nothing in the cluster is touched yet. */
export async function openSession(options: {
  readonly task: Task<TofuSpec>;
  readonly programs: Programs;
  readonly managed: ManagedSecrets;
  readonly providers: Providers;
  readonly commit?: string | undefined;
}): Promise<Session> {
  const { task, programs } = options;
  const files = await openTofuFiles(programs, task.spec);
  const mirror = chooseMirror(task.spec, options.providers);
  const environment = await prepareEnvironment({ task, programs, files, mirror });
  // A folder that a command names is none that its programs may read.
  const fixed = options.providers.mirror;
  const read = fixed?.startsWith("/") === true && existsSync(fixed) ? [fixed] : [];
  const asking = createTofuCli({ programs, folder: programs.folder, environment, log: task.log, read });
  const version = await programs.versionOf("tofu", () => readVersion(asking));
  const { folder, commit } = await prepareSource(options);
  const inspection = await inspectSource({ programs, folder, dataFolder: files.dataFolder });
  if (inspection !== undefined) judgeSource(inspection, task.tofuRules());
  await writeBackend(folder, task.spec, inspection);
  // OpenTofu writes a state that it can't store to this name.
  await rm(join(folder, "errored.tfstate"), { recursive: true, force: true });
  await symlink(files.erroredFile, join(folder, "errored.tfstate"));
  const variables = await resolveVariables(task.spec, task.secrets);
  await writeFile(files.variablesFile, JSON.stringify(variables), { mode: sharedFileMode });
  const cli = createTofuCli({ programs, folder, environment, log: task.log, read });
  return {
    task,
    cli,
    folder,
    files,
    commit,
    version,
    programs,
    managed: options.managed,
    inspection,
    mirror,
    cache: options.providers.cache,
  };
}

/** Needs the lock. Returns what the configuration needs, with its modules; undefined without a fence. */
export async function openState(session: Session): Promise<SourceNeeds | undefined> {
  const { task, files, version } = session;
  await ensureState(task, version);
  await session.managed.learn(task);
  const whole = (await fetchModules(session)) ?? session.inspection;
  await initialize(session);
  await checkBackend(files.dataFolder, task.spec);
  await checkModules(session);
  await pushUnsaved(session);
  return whole && needsOf(whole);
}

/** Modules are judged by what the source says before they are fetched, and by what they say before providers are. */
async function fetchModules(session: Session): Promise<Inspection | undefined> {
  const { task, cli, files, folder, programs, inspection } = session;
  if (inspection === undefined || !hasForeignModules(inspection)) return undefined;
  for (const source of foreignModules(inspection)) {
    task.mayUse({ is: "tofu-module", source });
    programs.reach(source.replace(/^(?:git|hg|s3|gcs)::/, ""));
  }
  const bounds = { limitBytes: mostModuleBytes, limitFiles: mostModuleFiles, clock: task.clock };
  using unpacked = watchSize({ ...bounds, folder: files.dataFolder });
  using fetched = watchSize({ ...bounds, folder: join(programs.folder, "tmp") });
  const signal = AbortSignal.any([unpacked.exceeded, fetched.exceeded]);
  const { exitCode, stdout } = await cli.read(["get", "-no-color", `-var-file=${files.variablesFile}`], { signal });
  task.signal.throwIfAborted();
  if (signal.aborted) {
    const limits = `${mostModuleBytes / 2 ** 20} MiB or ${mostModuleFiles} files`;
    throw tofuErrors.TOFU_INIT_FAILED({ detail: `its modules have more than ${limits}` });
  }
  const lastLine = stdout.trim().split("\n").at(-1) ?? "";
  const detail = `its modules can't be fetched: ${cutText(task.secrets, lastLine, 500)}`;
  if (exitCode !== 0) throw tofuErrors.TOFU_INIT_FAILED({ detail });
  await checkModules(session);
  const whole = await inspectSource({ programs, folder, dataFolder: files.dataFolder });
  if (whole !== undefined) judgeSource(whole, task.tofuRules());
  return whole;
}

/** Throws TOFU_VARIABLES_MISSING, TOFU_PROVIDER_MISSING, TOFU_INIT_FAILED. */
async function initialize(session: Session): Promise<void> {
  const { task, cli, files, mirror, cache } = session;
  const args = ["init", "-input=false", `-var-file=${files.variablesFile}`];
  const localMirror = mirror?.startsWith("/") === true ? mirror : undefined;
  const shared = { folder: join(files.dataFolder, "providers"), mirror: localMirror, signal: task.signal };
  const isShared = cache !== undefined && (await hasLockFile(session));
  const told = isShared
    ? await cache.use(shared, (more) => cli.run(args, { environment: more, write: [cache.folder] }))
    : await cli.run(args);
  task.signal.throwIfAborted();
  if (told.exitCode === 0) return;
  requireVariables(told.errors);
  const detail = describeErrors(told, task.secrets);
  const place = mirror ?? "the registries that the configuration means";
  if (isProviderMissing(told.summaries)) throw tofuErrors.TOFU_PROVIDER_MISSING({ place, detail });
  throw tofuErrors.TOFU_INIT_FAILED({ detail });
}

/** Without checksums of its own a configuration would take whatever others have left in the cache, or write over it. */
async function hasLockFile({ folder }: Session): Promise<boolean> {
  return await access(join(folder, ".terraform.lock.hcl")).then(
    () => true,
    () => false,
  );
}

/** Modules of the source itself are the source. */
async function checkModules({ task, files }: Session): Promise<void> {
  const file = join(files.dataFolder, "modules", "modules.json");
  const text = await readRunFile(file, { folder: files.dataFolder }).then(String, () => "{}");
  const { Modules = [] } = JSON.parse(text) as { Modules?: readonly { readonly Source?: string }[] };
  for (const { Source: source = "" } of Modules) if (!isLocal(source)) task.mayUse({ is: "tofu-module", source });
}

async function readVersion(cli: TofuCli): Promise<string> {
  const { stdout } = await cli.read(["version", "-json"]);
  const version = /"terraform_version":\s*"([^"]+)"/.exec(stdout)?.[1] ?? "unknown";
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  if (Number(major) !== 1 || !(Number(minor) >= 11)) throw tofuErrors.TOFU_VERSION_UNSUPPORTED({ version });
  return version;
}

const mostModuleBytes = 512 * 2 ** 20;
const mostModuleFiles = 100_000;
