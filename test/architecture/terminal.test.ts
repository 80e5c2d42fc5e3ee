// What hubs and clusters say must not steer a terminal: text leaves the CLI by its `output`, which guards it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSources, root } from "./sources.ts";

const mayWrite: Readonly<Record<string, string>> = {
  "packages/cli/src/output/output.ts": "guards it",
  "packages/cli/src/context.ts": "hands it to the log of requests, which guards each line",
  "packages/cli/src/credential/run-credential.ts": "gives kubectl a credential",
  "packages/cli/src/login/device.ts": "guards it",
  "packages/cli/src/program.ts": "prints help of its own",
  "packages/cli/src/replay/play-cast.ts": "plays a recorded session through a filter",
  "packages/cli/src/run-cli.ts": "guards each line of an error",
  "packages/cli/src/terminal.ts": "asks questions of its own",
  "packages/cli/src/login/browser.ts": "guards it",
};

test("no command writes to the terminal past its guard", () => {
  const writers = readSources(["packages/cli"])
    .map(({ path }) => path)
    .filter((path) => path.includes("/src/") && !/(?:\.test|\.fixture)\.ts$|\/testing\//.test(path))
    .filter((path) => /\bstd(?:out|err)\??\.(?:write|end)\b|\bconsole\./.test(readFileSync(join(root, path), "utf8")));
  expect(writers.sort()).toEqual(Object.keys(mayWrite).sort());
});
