// Our own Go programs that the demo needs, for those who have no Go. The demo finds them by demo-tools.json.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { run } from "./run.ts";
import { digestOf } from "./sums.ts";

/** Folders below tools/, and what the files are called. */
const programs = { podserver: "podserver", leash: "leash", runner: "fairlead-runner" } as const;
const arches = ["amd64", "arm64"] as const;
/** The bytes depend on it, and tools/downloads.json pins them. */
const toolchain = "go1.26.8";

/** Builds them for Linux, static, with nothing of this machine in them; returns the paths of all files. */
export async function buildDemoTools(outDir: string, wanted: readonly string[] = arches): Promise<string[]> {
  await mkdir(outDir, { recursive: true });
  const built: { name: string; sha256: string }[] = [];
  for (const [folder, program] of Object.entries(programs)) {
    for (const arch of arches.filter((arch) => wanted.includes(arch))) {
      const name = `${program}-linux-${arch}`;
      const env = { CGO_ENABLED: "0", GOOS: "linux", GOARCH: arch, GOWORK: "off", GOFLAGS: "", GOTOOLCHAIN: toolchain };
      const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", join(outDir, name), "."];
      await run("go", args, { cwd: join(repoRoot, "tools", folder), env });
      built.push({ name, sha256: await digestOf(join(outDir, name)) });
    }
  }
  const manifest = join(outDir, "demo-tools.json");
  const files = Object.fromEntries(built.map(({ name, sha256 }) => [name, { sha256 }]));
  await writeFile(manifest, `${JSON.stringify({ files }, undefined, 2)}\n`);
  return [...built.map(({ name }) => join(outDir, name)), manifest];
}
