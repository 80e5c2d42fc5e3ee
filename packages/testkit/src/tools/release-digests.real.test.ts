// tools/downloads.json has the digests that the sources of our own programs give.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { repoRoot } from "../repo-root.ts";
import { findDownload } from "./downloads.ts";
import { findOnPath } from "./host-binary.ts";

const run = promisify(execFile);

it.for(["leash", "podserver", "runner"] as const)(
  "%s is built to the very bytes that are expected",
  async (name, { skip }) => {
    const go = await findOnPath("go");
    if (go === undefined) return skip("there is no Go on this machine");
    const folder = await mkdtemp(join(tmpdir(), "release-digests-"));
    try {
      const file = join(folder, name);
      await run(go, ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "."], {
        cwd: join(repoRoot, "tools", name),
        // The compiler's version is part of the program.
        env: {
          ...process.env,
          GOTOOLCHAIN: "go1.26.8",
          CGO_ENABLED: "0",
          GOWORK: "off",
          GOOS: "linux",
          GOARCH: "amd64",
        },
        timeout: 170_000,
      });
      const digest = createHash("sha256")
        .update(await readFile(file))
        .digest("hex");
      expect(findDownload(name, { platform: "linux-x64", from: undefined })?.digest.hex).toBe(digest);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
