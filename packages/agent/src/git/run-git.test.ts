import { systemClock } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { readGitAddress } from "./address.ts";
import { openGit } from "./run-git.ts";

test("what git says is told whole: whoever cuts it masks it before", async () => {
  const git = openGit({
    programs: {
      folder: "/",
      async run({ onStderr = () => undefined }) {
        onStderr(`fatal: ${"x".repeat(65_536)}can`, true);
        onStderr("ary", false);
        return { exitCode: 128, stdout: Buffer.alloc(0) };
      },
    },
    folder: "/",
    log: { line: () => undefined },
    signal: new AbortController().signal,
    address: readGitAddress("https://git.example.com/shop.git"),
    environment: {},
    limits: { sizeBytes: 1, files: 1, timeMs: 60_000 },
    clock: systemClock,
  });
  await expect(git(["fetch"])).rejects.toThrow(/xcanary/);
});
