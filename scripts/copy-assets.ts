// What the compiler leaves behind and the built packages need: SQL migrations and generated JavaScript.
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");

for (const asset of globSync("packages/*/src/**/*.{sql,js,d.ts}", { cwd: root })) {
  const target = join(root, asset.replace("/src/", "/dist/"));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, asset), target);
}
