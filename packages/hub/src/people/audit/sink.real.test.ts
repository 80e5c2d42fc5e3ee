import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestLog, done, startOf, useAuditHarness } from "./audit.fixture.ts";
import type { Audit } from "./index.ts";

const harness = useAuditHarness();
let folder: string;
let logFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-audit-"));
  logFile = join(folder, "audit.jsonl");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function recordSome(count: number): Promise<string[]> {
  const { log, lines } = createTestLog();
  await using audit: Audit = await harness.open({ log, logFile });
  for (let index = 0; index < count; index += 1) audit.begin(startOf()).end(done);
  await audit.flush();
  return lines;
}

async function readSeqs(): Promise<number[]> {
  const lines = (await readFile(logFile, "utf8")).trimEnd().split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { seq: number }).seq]));
}

describe("the audit log", () => {
  it("has the same records as the store, for its owner's eyes only", async () => {
    await recordSome(600);
    await using audit = await harness.open();
    const { items } = await audit.feed.list({ limit: 1_000 });

    const lines = (await readFile(logFile, "utf8")).trimEnd().split("\n");

    expect(lines.map((line) => JSON.parse(line))).toEqual(items.toReversed());
    expect((await stat(logFile)).mode & 0o777).toBe(0o600);
  });

  it("gets at the next start what it missed, and half a line stays apart", async () => {
    await recordSome(300);
    const text = await readFile(logFile, "utf8");
    const whole = text.split("\n").slice(0, 100).join("\n").length + 1;
    await truncate(logFile, whole);
    await recordSome(0);
    expect(await readSeqs()).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));

    await appendFile(logFile, '{"seq":301,"at":');
    const lines = await recordSome(1);

    expect((await readFile(logFile, "utf8")).trimEnd().split("\n").slice(-2)).toEqual([
      '{"seq":301,"at":',
      expect.stringMatching(/^\{"seq":301,/),
    ]);
    expect(lines).toEqual([]);
  });

  it("tells when the store's records were set back", async () => {
    await recordSome(3);
    const foreign = (await readFile(logFile, "utf8")).trimEnd().replaceAll('"seq":3', '"seq":9');
    await writeFile(logFile, `${foreign}\n`);

    expect(await recordSome(1)).toEqual([expect.stringContaining("at odds")]);
  });

  it("goes on with a hub that shares its database from now on", async () => {
    await recordSome(3);
    const text = await readFile(logFile, "utf8");
    await truncate(logFile, text.split("\n").slice(0, 2).join("\n").length + 1);
    const { log, lines } = createTestLog();
    const shared = { log, logFile, isShared: true, chainFile: join(folder, "chain") };
    {
      await using audit = await harness.open(shared);
      audit.begin(startOf()).end(done);
    }
    {
      await using audit = await harness.open(shared);
      audit.begin(startOf()).end(done);
    }

    const logged = (await readFile(logFile, "utf8")).trimEnd().split("\n");
    const acts = logged.filter((line) => !line.includes('"heads":'));
    expect(acts.map((line) => (JSON.parse(line) as { chain?: string }).chain?.slice(0, 6))).toEqual([
      undefined,
      undefined,
      undefined,
      "chain_",
      "chain_",
    ]);
    expect(lines.join("")).not.toContain("at odds");
  });

  it("that can't be opened keeps the hub from starting", async () => {
    logFile = join(folder, "none", "audit.jsonl");

    await expect(recordSome(0)).rejects.toMatchObject({ code: "AUDIT_LOG_UNUSABLE" });
  });
});
