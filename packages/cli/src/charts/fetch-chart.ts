import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FairleadError } from "@fairlead/kernel";
import { lastLine, type ProgramResult, runProgram } from "../programs/index.ts";
import { chartErrors } from "./errors.ts";
import { digestInIndex } from "./repository-index.ts";

export interface ChartSource {
  /** An `https://` index or an `oci://` folder. */
  readonly repository: string;
  readonly chart: string;
  readonly version: string;
}

export interface FetchedChart {
  readonly archive: string;
  /** `sha256:…` of the archive; of the manifest in the registry for OCI, where that can be told. */
  readonly digest: string | undefined;
}

function isOci({ repository }: Pick<ChartSource, "repository">): boolean {
  return repository.startsWith("oci://");
}

/** @throws {FairleadError} `CLI_ADDON_CHART_UNREACHABLE`, `CLI_ADDON_CHART_MISSING`, `CLI_ADDON_CHART_MISMATCH` */
export async function fetchChart(options: {
  readonly source: ChartSource;
  /** A folder for this chart alone. */
  readonly folder: string;
  readonly signal: AbortSignal;
}): Promise<FetchedChart> {
  const { source, folder, signal } = options;
  await mkdir(folder, { recursive: true });
  const helm = (args: readonly string[]) => runProgram("helm", args, { signal, timeoutMs });
  return isOci(source) ? await pullOci(source, folder, helm) : await pullFromIndex(source, folder, helm);
}

type Helm = (args: readonly string[]) => Promise<ProgramResult>;

/** The registry's client checks what it gets against the digest of the manifest. */
async function pullOci(source: ChartSource, folder: string, helm: Helm): Promise<FetchedChart> {
  const name = `${source.repository.replace(/\/$/, "")}/${source.chart}`;
  const answer = await helm(["pull", name, "--version", source.version, "--destination", folder]);
  if (answer.code !== 0) throw explain(source, answer);
  const digest = /sha256:[0-9a-f]{64}/.exec(`${answer.stdout}\n${answer.stderr}`)?.[0];
  return { archive: await onlyArchive(source, folder), digest };
}

/** Helm doesn't compare an archive with what the index says of it. */
async function pullFromIndex(source: ChartSource, folder: string, helm: Helm): Promise<FetchedChart> {
  const { repository, chart, version } = source;
  const cache = join(folder, "cache");
  const own = ["--repository-config", join(folder, "repositories.yaml"), "--repository-cache", cache];
  for (const args of [
    ["repo", "add", "there", repository],
    ["pull", `there/${chart}`, "--version", version, "--destination", join(folder, "pulled")],
  ]) {
    await mkdir(join(folder, "pulled"), { recursive: true });
    const answer = await helm([...args, ...own]);
    if (answer.code !== 0) throw explain(source, answer);
  }
  const archive = await onlyArchive(source, join(folder, "pulled"));
  const digest = `sha256:${createHash("sha256")
    .update(await readFile(archive))
    .digest("hex")}`;
  const expected = digestInIndex(await readFile(join(cache, "there-index.yaml"), "utf8"), source);
  if (expected !== undefined && expected !== digest)
    throw chartErrors.CLI_ADDON_CHART_MISMATCH({ repository, chart, version, found: digest, expected });
  return { archive, digest };
}

export async function onlyArchive(source: ChartSource, folder: string): Promise<string> {
  const archive = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw chartErrors.CLI_ADDON_CHART_MISSING({ ...source });
  const path = join(folder, archive);
  if ((await stat(path)).size <= mostArchiveBytes) return path;
  const why = `its archive is over ${mostArchiveBytes / 2 ** 20} MiB`;
  throw chartErrors.CLI_ADDON_CHART_UNREACHABLE({ ...source, why });
}

function explain(source: ChartSource, answer: ProgramResult): FairleadError {
  const { repository, chart, version } = source;
  const said = `${answer.stderr}\n${answer.stdout}`;
  if (/not found in .*(index|repositor)|no chart (name|version) found|: not found\s*$/im.test(said))
    return chartErrors.CLI_ADDON_CHART_MISSING({ repository, chart, version });
  return chartErrors.CLI_ADDON_CHART_UNREACHABLE({ repository, chart, why: lastLine(answer) });
}

/** As the agent takes it. */
const mostArchiveBytes = 20 * 1024 * 1024;
const timeoutMs = 120_000;
