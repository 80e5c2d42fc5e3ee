// Compares the .proto files with the image of the last release, offline: `npm run proto:breaking`.
// A release writes the image anew: `npm run proto:breaking -- --release`. It is committed, so a review sees the day.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const protoDir = "packages/protocol";
const releasedImage = `${protoDir}/proto/released.binpb`;

if (process.argv.includes("--release")) {
  run(["build", protoDir, "--exclude-source-info", "--output", releasedImage]);
  console.log(`Wrote ${releasedImage}.`);
} else {
  if (!existsSync(releasedImage)) fail(`${releasedImage} is missing: nothing to compare with.`);
  run(["breaking", protoDir, "--against", releasedImage]);
  console.log("No breaking change since the last release.");
}

function run(args: readonly string[]): void {
  const { status, error } = spawnSync("buf", args, { stdio: "inherit" });
  if (error) fail(`buf can't be started: ${error.message}. Run this through npm, after npm install.`);
  if (status !== 0) process.exit(status ?? 1);
}

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}
