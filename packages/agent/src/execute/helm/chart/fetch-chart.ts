// A chart, from where the spec says it is, into the private folder.
import { createHash } from "node:crypto";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkOut } from "../../../git/index.ts";
import { readRunFile, sharedFileMode, sharedFolderMode } from "../../../processes/index.ts";
import { gitCredentials } from "../../git-credentials.ts";
import type { Programs } from "../../programs.ts";
import type { SecretValues, Task } from "../../types.ts";
import { helmErrors } from "../errors.ts";
import type { Helm } from "../program/open-helm.ts";
import type { ChartSource, FetchedSource, GitChart, HelmSpec } from "../types.ts";
import { ArchiveProblem, checkArchive, openBudget } from "./archive/check-archive.ts";
import { checkFolder } from "./check-folder.ts";
import { explainFetch } from "./explain-fetch.ts";
import { nameChart } from "./name-chart.ts";
import { useCredentials } from "./use-credentials.ts";

export interface Chart {
  /** The chart as helm's argument. */
  readonly path: string;
  /** Where files of values lie beside it; undefined for an archive. */
  readonly folder: string | undefined;
  /** `sha256:…` of all that is in it. */
  readonly digest: string;
}

export async function fetchChart(options: {
  readonly source: ChartSource;
  readonly helm: Helm;
  readonly programs: Programs;
  readonly task: Task<HelmSpec>;
}): Promise<Chart> {
  const { source, helm, task } = options;
  if (source.type === "inline") return await writeFiles(join(helm.folder, "inline"), source.files);
  if (source.type === "git") return await checkOutChart({ ...options, source });
  options.programs.reach(source.type === "oci" ? toAddress(source) : source.url);
  const archive = await pull({ source, helm, programs: options.programs, secrets: task.secrets });
  if ((await stat(archive)).size > maxArchiveBytes)
    throw helmErrors.HELM_CHART_INVALID({ chart: nameChart(source), what: "its archive is over 20 MiB" });
  const bytes = await readRunFile(archive, { folder: helm.folder, mostBytes: maxArchiveBytes });
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (source.type === "repository" && source.digest !== undefined && source.digest !== digest)
    throw helmErrors.HELM_CHART_DIGEST_MISMATCH({ chart: nameChart(source), found: digest });
  await sayInvalid(source, checkArchive(bytes, openBudget()));
  return { path: archive, folder: undefined, digest };
}

/** Throws HELM_CHART_INVALID. */
async function sayInvalid(source: ChartSource, checking: Promise<void>): Promise<void> {
  await checking.catch((error: unknown) => {
    if (!(error instanceof ArchiveProblem)) throw error;
    throw helmErrors.HELM_CHART_INVALID({ chart: nameChart(source), what: error.message });
  });
}

async function checkOutChart(options: {
  readonly source: GitChart;
  readonly helm: Helm;
  readonly programs: Programs;
  readonly task: Task<HelmSpec>;
}): Promise<Chart> {
  const { source, helm, programs, task } = options;
  const { git, path = "." } = source;
  const { secrets, log, signal, clock } = task;
  const mayUse = (host: string): void => task.mayUse({ is: "git-host", host });
  const place = {
    programs,
    folder: join(helm.folder, "git"),
    secrets: gitCredentials(secrets, git.url),
    mayUse,
    log,
    signal,
    clock,
  };
  const { folder, commit } = await checkOut({ ...git, ...place });
  const hasChart = await stat(join(folder, path, "Chart.yaml")).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!hasChart) throw helmErrors.HELM_CHART_NOT_FOUND({ chart: nameChart(source) });
  await sayInvalid(source, checkFolder(join(folder, path)));
  // A commit says all that is in it.
  const digest = createHash("sha256")
    .update(JSON.stringify([commit, path]))
    .digest("hex");
  return { path: join(folder, path), folder, digest: `sha256:${digest}` };
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<Chart> {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, text] of sorted) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: sharedFolderMode });
    await writeFile(join(folder, path), text, { mode: sharedFileMode });
  }
  const digest = `sha256:${createHash("sha256").update(JSON.stringify(sorted)).digest("hex")}`;
  return { path: folder, folder, digest };
}

async function pull(options: {
  readonly source: FetchedSource;
  readonly helm: Helm;
  readonly programs: Pick<Programs, "refused">;
  readonly secrets: SecretValues;
}): Promise<string> {
  const { source, helm, programs } = options;
  const folder = join(helm.folder, "pulled");
  await mkdir(folder, { mode: sharedFolderMode });
  await using access = await useCredentials(options);
  const steps =
    source.type === "repository"
      ? [
          // Helm 3 ends well by itself where a repository can't be read.
          ["repo", "update", access.repository, ...(helm.major === 3 ? ["--fail-on-repo-update-fail"] : [])],
          ["pull", `${access.repository}/${source.name}`, "--version", source.version],
        ]
      : [["pull", nameReference(source), ...withoutDigest(source), ...(source.isPlainHttp ? ["--plain-http"] : [])]];
  for (const [index, step] of steps.entries()) {
    const isPull = index === steps.length - 1;
    const args = isPull ? [...step, "--destination", folder, ...access.args] : step;
    const { exitCode, said, stdout } = await helm.run({ args, isRead: true });
    // Helm knows the answer of the agent's proxy alone.
    const [refused] = programs.refused;
    if (exitCode !== 0 && refused !== undefined) throw refused;
    if (exitCode !== 0) throw explainFetch({ source, said: `${said}\n${stdout.toString("utf8")}`, exitCode });
  }
  const [archive] = await readdir(folder);
  if (archive === undefined) throw helmErrors.HELM_CHART_NOT_FOUND({ chart: nameChart(source) });
  return join(folder, archive);
}

function toAddress({ path, isPlainHttp }: Extract<FetchedSource, { readonly type: "oci" }>): string {
  return `${isPlainHttp ? "http" : "https"}://${path}`;
}

/** The registry's client checks what it gets against the digest. */
function nameReference({ path, digest }: Extract<FetchedSource, { readonly type: "oci" }>): string {
  return digest === undefined ? `oci://${path}` : `oci://${path}@${digest}`;
}

function withoutDigest({ version, digest }: Extract<FetchedSource, { readonly type: "oci" }>): readonly string[] {
  return version === undefined || digest !== undefined ? [] : ["--version", version];
}

const maxArchiveBytes = 20 * 1024 * 1024;
