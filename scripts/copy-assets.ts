// Copies what the compiler leaves behind and the built packages need: SQL migrations and generated JavaScript.
// Migrations that are no more go: a hub applies each that it finds.
import { copyFileSync, globSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");

for (const old of globSync("packages/*/dist/**/*.sql", { cwd: root })) rmSync(join(root, old));
for (const asset of globSync("packages/*/src/**/*.{sql,js,d.ts}", { cwd: root })) {
  const target = join(root, asset.replace("/src/", "/dist/"));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, asset), target);
}
