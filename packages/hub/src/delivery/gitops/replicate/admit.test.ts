import type { AgentHello } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { admitCall } from "./admit.ts";

const byDestination = { cluster: "east", mode: "managed", mapping: "destination", generation: 1 } as const;
const byNamespace = { ...byDestination, mapping: "namespace" } as const;

test.each([
  ["of a version before, by namespace", { mappings: [] }, byNamespace, undefined],
  ["of a version before, by destination", { mappings: [] }, byDestination, "GITOPS_AGENT_OUTDATED"],
  ["that can do it, by destination", { mappings: ["namespace", "destination"] }, byDestination, undefined],
  ["that was told another mapping", { mapping: "namespace" }, byDestination, "GITOPS_MODE_MISMATCH"],
])("an agent %s", (_, said, settings, code) => {
  const hello = { mode: "", mapping: "", leaseEpoch: 1n, mappings: [], ...said } as unknown as AgentHello;
  const admit = (): void => admitCall(hello, { settings, current: undefined, refusal: undefined });
  if (code === undefined) expect(admit).not.toThrow();
  else expect(admit).toThrow(expect.objectContaining({ code }));
});
