import { describe, expect, it } from "vitest";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { done, startOf } from "./audit.fixture.ts";
import { chainEntries } from "./chain.ts";
import { createAuditStore, packBlock } from "./store.ts";
import { verifyChain } from "./verify.ts";

describe("the audit chain, written at once on two connections", () => {
  it("goes on with one of the two", async () => {
    await using store = await openMemoryStore();
    const writers = [createAuditStore(store.db), createAuditStore(store.queries)] as const;
    let kept = 0;
    for (let round = 0; round < 30; round += 1) {
      const { head } = await writers[0].readHead();
      const blocks = await Promise.all(
        [1, 2, 3].map((index) =>
          packBlock(
            chainEntries(
              [
                {
                  at: round,
                  phase: "end",
                  start: startOf({ requestId: `${round}-${index}` }),
                  outcome: done,
                  correlates: undefined,
                },
              ],
              head,
            ),
          ),
        ),
      );
      const outcomes = await Promise.all(
        blocks.map((block, index) => (index % 2 === 0 ? writers[0] : writers[1]).append(block, head)),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      kept += 1;
    }
    expect(await verifyChain(writers[1])).toMatchObject({ records: kept });
    expect((await writers[0].readHead()).head.seq).toBe(kept);
  });
});
