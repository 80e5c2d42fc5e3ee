import { join } from "node:path";
import { repoRoot, runCommand } from "@fairlead/testkit";

/** Users run a build, so a build is measured: Node's reading of TypeScript takes memory of its own. */
export async function buildPrograms(): Promise<void> {
  const tsc = join(repoRoot, "node_modules", ".bin", "tsc");
  const projects = ["agent", "cli", "hub"].map((name) => join(repoRoot, "packages", name));
  await runCommand(process.execPath, [tsc, "-b", ...projects], { timeoutMs: 180_000 });
  for (const script of ["copy-assets.ts", "bundle-command.ts"])
    await runCommand(process.execPath, [join(repoRoot, "scripts", script)], { timeoutMs: 60_000 });
}
