// A real Prometheus on loopback, with a configuration of the test's own.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTools, reservePorts, startProcess } from "@fairlead/testkit";

export interface TestPrometheus extends AsyncDisposable {
  /** The series that an expression gives now. Throws unless Prometheus answers 200. */
  query(expr: string): Promise<readonly QueriedSeries[]>;
  /** Reads `data` of an answer of its API. */
  read<T>(path: string): Promise<T>;
  /** Its own metrics, as text. */
  readOwnMetrics(): Promise<string>;
}

export interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function startPrometheus(options: {
  readonly scrapeConfigs: readonly object[];
  /** Rule files by their names; JSON is YAML. */
  readonly ruleFiles: Readonly<Record<string, string>>;
}): Promise<TestPrometheus> {
  const { prometheus } = await ensureTools(["prometheus"]);
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-prometheus-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const [port] = undo.use(await reservePorts(1)).ports;
  const ruleFiles = Object.keys(options.ruleFiles).map((name) => join(folder, name));
  for (const [name, text] of Object.entries(options.ruleFiles)) await writeFile(join(folder, name), text);
  const everySecond = { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" };
  const config = { global: everySecond, scrape_configs: options.scrapeConfigs, rule_files: ruleFiles };
  await writeFile(join(folder, "prometheus.yml"), JSON.stringify(config));
  const origin = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name: "prometheus",
    command: prometheus,
    args: [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--scrape.discovery-reload-interval=1s",
    ],
    logFile: join(folder, "prometheus.log"),
    readyWhen: async () => (await fetch(`${origin}/-/ready`).catch(() => undefined))?.ok === true,
  });
  undo.defer(async () => void (await running.stop()));
  const owned = undo.move();
  return {
    read,
    async query(expr) {
      const { result } = await read<{ result: readonly RawSeries[] }>(`query?query=${encodeURIComponent(expr)}`);
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    readOwnMetrics: async () => (await fetch(`${origin}/metrics`)).text(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function read<T>(path: string): Promise<T> {
    const answer = await fetch(`${origin}/api/v1/${path}`);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`Prometheus answers ${answer.status} to ${path}: ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }
}

interface RawSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}
