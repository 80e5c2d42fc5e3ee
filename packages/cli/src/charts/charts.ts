// Charts as the person's own helm fetches and renders them. Values go in by standard input, and nothing of them is kept.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterObject } from "@fairlead/doctor";
import { lastLine, runProgram } from "../programs/index.ts";
import { readDefaults } from "./defaults.ts";
import { chartErrors } from "./errors.ts";
import { type ChartSource, type FetchedChart, fetchChart } from "./fetch-chart.ts";
import { readManifest } from "./manifest.ts";

export interface Charts extends AsyncDisposable {
  /** Each once; the same answer for the same source. */
  fetch(source: ChartSource): Promise<FetchedChart>;
  /** All values that a chart has of itself, those of the charts in it under their names. */
  defaults(source: ChartSource): Promise<unknown>;
  /** Without hooks, and without what a chart would look up in a cluster: as Argo CD renders. */
  render(request: RenderRequest): Promise<readonly ClusterObject[]>;
}

export interface RenderRequest {
  readonly source: ChartSource;
  readonly release: string;
  readonly namespace: string;
  readonly values: unknown;
  readonly capabilities: Capabilities;
  /** With the CRDs beside the templates. */
  readonly hasCrds: boolean;
}

/** The facts about a cluster that charts may ask for. */
export interface Capabilities {
  /** `v1.33.0`; helm's own idea unless given. */
  readonly version?: string;
  /** `apps/v1`, `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[];
}

export async function openCharts({ signal }: { readonly signal: AbortSignal }): Promise<Charts> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  const fetched = new Map<string, Promise<FetchedChart>>();
  return { fetch, defaults, render, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };

  function fetch(source: ChartSource): Promise<FetchedChart> {
    const key = JSON.stringify([source.repository, source.chart, source.version]);
    const known = fetched.get(key) ?? fetchChart({ source, folder: join(folder, `${fetched.size}`), signal });
    fetched.set(key, known);
    return known;
  }

  async function defaults(source: ChartSource): Promise<unknown> {
    const { archive } = await fetch(source);
    const unpacked = await mkdtemp(join(folder, "unpacked-"));
    const answer = await runProgram("tar", ["-xzf", archive, "-C", unpacked], { signal, timeoutMs: 120_000 });
    if (answer.code !== 0) throw chartErrors.CLI_ADDON_CHART_UNRENDERED({ ...source, why: lastLine(answer) });
    return await readDefaults(join(unpacked, source.chart));
  }

  async function render({ source, release, namespace, values, capabilities, hasCrds }: RenderRequest) {
    const { archive } = await fetch(source);
    const { version, apiVersions } = capabilities;
    const args = [
      "template",
      release,
      archive,
      "--namespace",
      namespace,
      "--values",
      "-",
      "--no-hooks",
      "--is-upgrade",
      ...(hasCrds ? ["--include-crds"] : []),
      ...(version === undefined ? [] : ["--kube-version", version]),
      ...apiVersions.flatMap((each) => ["--api-versions", each]),
    ];
    const answer = await runProgram("helm", args, { input: JSON.stringify(values ?? {}), timeoutMs: 120_000, signal });
    if (answer.code !== 0) throw chartErrors.CLI_ADDON_CHART_UNRENDERED({ ...source, why: lastLine(answer) });
    return readManifest(answer.stdout);
  }
}
