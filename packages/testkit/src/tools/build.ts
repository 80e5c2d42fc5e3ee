import { spawn } from "node:child_process";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { testkitErrors, toolsUnavailable } from "../errors.ts";
import { moduleFolder } from "./cache.ts";
import type { Tool, ToolName } from "./catalog.ts";
import { keepFiles } from "./kept-files.ts";

const buildTimeoutMs = 30 * 60_000;
const progressIntervalMs = 10_000;

/** `go build` prints one of these when it can't fetch modules or a newer toolchain. */
const cannotFetch =
  /dial tcp|no such host|connection refused|proxyconnect|i\/o timeout|server misbehaving|module lookup disabled|network is unreachable|toolchain not available|running go .*GOTOOLCHAIN=local/;

/** Builds one binary beside its final place, then moves it there in one step. */
export async function buildTool(options: {
  name: ToolName;
  tool: Tool;
  go: string;
  destination: string;
  onProgress: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Variables for Go beside this process's. */
  environment?: Readonly<Record<string, string>> | undefined;
}): Promise<void> {
  const { name, tool, go, destination, onProgress, signal, environment } = options;
  const draft = join(destination, "..", `.${basename(destination)}.${process.pid}`);
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  onProgress(`building ${name} (${tool.goPackage})`);
  const ticker = setInterval(() => onProgress(`still building ${name}: ${elapsed()}`), progressIntervalMs);
  try {
    const { code, output } = await goBuild({ go, tool, draft, signal, environment });
    if (code !== 0 && cannotFetch.test(output)) {
      throw toolsUnavailable({
        name,
        reason: "its Go modules could not be fetched",
        cause: new Error(output.slice(-2000)),
      });
    }
    if (code !== 0) throw testkitErrors.TOOLS_BUILD_FAILED({ name, logTail: output.slice(-2000) });
    await keepFiles(tool, { go, folder: dirname(destination) });
    // The program comes last: whoever finds it finds what it needs.
    await rename(draft, destination);
  } finally {
    clearInterval(ticker);
    await rm(draft, { force: true });
  }
  onProgress(`built ${name} in ${elapsed()}`);
}

function goBuild(options: {
  go: string;
  tool: Tool;
  draft: string;
  signal: AbortSignal | undefined;
  environment: Readonly<Record<string, string>> | undefined;
}): Promise<{ code: number; output: string }> {
  const { go, tool, draft, signal, environment } = options;
  const linkerFlags = ["-s", "-w", ...tool.linkerFlags].join(" ");
  const tags = tool.buildTags === undefined ? [] : ["-tags", tool.buildTags.join(",")];
  const args = [
    "build",
    "-trimpath",
    `-ldflags=${linkerFlags}`,
    "-o",
    draft,
    "-buildvcs=false",
    ...tags,
    tool.goPackage,
  ];
  const child = spawn(go, args, {
    cwd: moduleFolder(tool),
    // CGO is set the same everywhere: another setting would build the whole of Kubernetes again.
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: buildTimeoutMs,
    ...(signal && { signal }),
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString("utf8")).slice(-20_000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
