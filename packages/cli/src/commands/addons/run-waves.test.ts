import { expect, test, vi } from "vitest";
import type { CommandContext } from "../../context.ts";
import { runWaves } from "./run-waves.ts";

test("the first failure ends it, and the clusters of later waves are named and stay as they are", async () => {
  const asked: string[] = [];
  const createCommand = async ({ cluster }: { readonly cluster: string }) => {
    asked.push(cluster);
    throw new Error(`${cluster} can't be asked`);
  };
  const remark = vi.fn();
  const output = { remark, safe: (text: string) => text };
  const context = { signal: AbortSignal.timeout(60_000), output, hub: async () => ({ createCommand }) };
  const work = ["one", "two", "three", "four"].map((cluster) => ({
    cluster,
    flow: { name: "addons", steps: [] },
    steps: [],
  }));
  const options = { maxParallel: 2, healthyWithin: 1_000 };
  await expect(runWaves(context as unknown as CommandContext, { work, options })).rejects.toThrow("one can't be asked");
  expect(asked).toEqual(["one", "two"]);
  expect(remark).toHaveBeenCalledWith("Left as they are: three, four.");
});
