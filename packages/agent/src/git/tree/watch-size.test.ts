import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { watchSize } from "./watch-size.ts";

test("scenario 21: what grows too large while it is fetched is noticed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-size-"));
  try {
    using size = watchSize({ folder, limitBytes: 1_000, clock: systemClock });
    await writeFile(join(folder, "pack"), "x".repeat(1_000));
    expect(size.exceeded.aborted).toBe(false);
    await writeFile(join(folder, "more"), "x");
    await until(() => size.exceeded.aborted, "it is noticed");
  } finally {
    await rm(folder, { recursive: true });
  }
});
