// Real Helm, with a home of its own, and the project's charts rendered by it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type CommandOptions, type CommandResult, runCommand } from "../cluster/index.ts";
import { collectRarely } from "../collect-rarely.ts";
import { repoRoot } from "../repo-root.ts";
import { ensureTools } from "../tools/index.ts";

export type ChartName = "fairlead-agent" | "fairlead-hub";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever Helm rendered
  readonly [member: string]: any;
}

export interface RenderOptions {
  readonly chart: ChartName;
  readonly values?: object;
  /** More arguments, such as --set-file. */
  readonly args?: readonly string[];
  readonly release?: string;
  readonly namespace?: string;
}

export interface Helm extends AsyncDisposable {
  readonly path: string;
  /** Runs `helm ARGS…`. Throws TESTKIT_COMMAND_FAILED unless `allowFailure`. */
  run(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Makes objects of a chart, as `helm template` does. */
  render(options: RenderOptions): Promise<readonly Manifest[]>;
  /** Path of a values file with this content, gone with this Helm. */
  writeValues(values: object): Promise<string>;
}

/** Where the images are, for charts that want to be told. Nobody pulls them. */
export const imageRegistry = "registry.example.com";

export function chartFolder(chart: ChartName): string {
  return join(repoRoot, "charts", chart);
}

/** Helm can only render without a kubeconfig. */
export async function openHelm(options: { readonly kubeconfig?: string } = {}): Promise<Helm> {
  const { helm } = await ensureTools(["helm"]);
  const home = await mkdtemp(join(tmpdir(), "fairlead-helm-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    KUBECONFIG: options.kubeconfig ?? "/dev/null",
    ...collectRarely(),
  };
  let files = 0;
  const run: Helm["run"] = (args, rest = {}) => runCommand(helm, args, { ...rest, env: { ...env, ...rest.env } });
  return {
    path: helm,
    run,
    render,
    writeValues,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };

  async function render({ chart, values = {}, args = [], release = chart, namespace = "fairlead" }: RenderOptions) {
    const template = ["template", release, chartFolder(chart), "--namespace", namespace];
    const all = { ...values, image: { registry: imageRegistry, ...(values as { image?: object }).image } };
    const { stdout } = await run([...template, "--values", await writeValues(all), ...args]);
    return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  }

  async function writeValues(values: object): Promise<string> {
    const path = join(home, `values-${files++}.json`);
    await writeFile(path, JSON.stringify(values));
    return path;
  }
}
