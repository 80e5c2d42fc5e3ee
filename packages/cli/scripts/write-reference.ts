// `npm run docs:cli`: makes docs/reference/cli.md, and what the help of all commands says, anew after a change of a
// command or a flag.
import { mkdirSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { readEnvironment } from "../src/config/index.ts";
import { createProgram } from "../src/program.ts";
import { formatReference, formatSummaries } from "../src/reference/index.ts";

const page = new URL("../../../docs/reference/cli.md", import.meta.url);
const program = await createProgram({
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  environment: readEnvironment({}),
  now: Date.now,
  openBrowser: () => undefined,
  signal: new AbortController().signal,
});
mkdirSync(new URL(".", page), { recursive: true });
writeFileSync(page, formatReference(program));
const summaries = new URL("../src/gen/command-summaries.ts", import.meta.url);
mkdirSync(new URL(".", summaries), { recursive: true });
writeFileSync(summaries, formatSummaries(program));
