// `npm run docs:cli`: makes docs/reference/cli.md anew, after a change of a command or a flag.
import { mkdirSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { readEnvironment } from "../src/config/index.ts";
import { createProgram } from "../src/program.ts";
import { formatReference } from "../src/reference/index.ts";

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
