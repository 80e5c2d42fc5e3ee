import { describe, expect, it } from "vitest";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { done, startOf } from "./audit.fixture.ts";
import { chainEntries } from "./chain.ts";
import { type ChainStore, packBlock } from "./chain-store.ts";
import { createAuditStore } from "./store.ts";
import { firstChain } from "./types.ts";
import { walkChain } from "./walk.ts";

describe("the audit chain, written at once on two connections", () => {
  it.each([firstChain, "chain_1"])("goes on with one of the two: %j", async (chain) => {
    await using store = await openMemoryStore();
    const writers = [store.db, store.queries].map((db) => createAuditStore(db).chain(chain)) as [
      ChainStore,
      ChainStore,
    ];
    if (chain !== firstChain) await writers[0].begin("hub_1");
    let kept = 0;
    for (let round = 0; round < 30; round += 1) {
      const { head = none } = (await writers[0].readEnds()) ?? {};
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
              { chain },
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
    expect(await walkChain(writers[1], chain)).toMatchObject({ records: kept });
    expect((await writers[0].readEnds())?.head.seq).toBe(kept);
  });
});

const none = { seq: 0, hash: "0".repeat(64) };
