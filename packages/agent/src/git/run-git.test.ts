import { systemClock } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
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

test.each([25, -25])(
  "scenario 7: a clock that is set by %i hours takes no time from git, and gives it none",
  async (hours) => {
    const clock = createMovableClock(1e12);
    const git = openGit({
      programs: {
        folder: "/",
        async run({ signal }) {
          clock.set(hours * 3_600_000);
          clock.move(30_000);
          return { exitCode: signal?.aborted ? 130 : 0, stdout: Buffer.from("done") };
        },
      },
      folder: "/",
      log: { line: () => undefined },
      signal: new AbortController().signal,
      address: readGitAddress("https://git.example.com/shop.git"),
      environment: {},
      limits: { sizeBytes: 1, files: 1, timeMs: 50_000 },
      clock,
    });
    await expect(git(["fetch"])).resolves.toBe("done");
    await expect(git(["checkout"])).rejects.toMatchObject({ code: "GIT_UNREACHABLE" });
  },
);
