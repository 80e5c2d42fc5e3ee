import { join } from "node:path";
import { Readable } from "node:stream";
import { createCommandRequestSchema } from "@fairlead/contract";
import { repoRoot } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { readTofuSpec } from "./read-tofu-spec.ts";

test("the example is a spec that the hub takes", async () => {
  const spec = await readTofuSpec({ stdin: Readable.from([]) } as never, join(repoRoot, "deploy/examples/tofu.yaml"));
  const { success, error } = createCommandRequestSchema.safeParse({ cluster: "east", kind: "tofu", spec });
  expect(error?.issues).toBeUndefined();
  expect(success).toBe(true);
});
