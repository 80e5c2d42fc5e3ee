// Records what the link of this version says: node --conditions=@fairlead/source test/compat/record.ts VERSION
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { record } from "./recorder.ts";
import { scenarios } from "./scenarios/index.ts";
import { formatTranscript } from "./transcript.ts";

const [version] = process.argv.slice(2);
if (!version || !/^v\d+\.\d+$/.test(version)) {
  console.error("usage: node --conditions=@fairlead/source test/compat/record.ts v0.1");
  process.exit(2);
}
const folder = join(import.meta.dirname, version);
mkdirSync(folder, { recursive: true });
for (const scenario of scenarios) {
  const transcript = await record(scenario);
  writeFileSync(join(folder, `${scenario.name}.jsonl`), formatTranscript(transcript));
  console.log(`${scenario.name}: ${transcript.entries.length} lines`);
}
// Sockets that were closed a moment ago have timers left.
process.exit(0);
