// Puts fairlead, fairlead-hub and fairlead-agent into node_modules/.bin once they are built. npm does so for
// workspaces only when the files are there at install, and on a fresh clone the build comes after that.
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".bin");

mkdirSync(folder, { recursive: true });
for (const manifest of globSync("packages/*/package.json", { cwd: root })) {
  const { bin = {} } = JSON.parse(readFileSync(join(root, manifest), "utf8")) as { bin?: Record<string, string> };
  for (const [name, path] of Object.entries(bin)) {
    const program = join(root, dirname(manifest), path);
    chmodSync(program, 0o755);
    rmSync(join(folder, name), { force: true });
    symlinkSync(relative(folder, program), join(folder, name));
  }
}
