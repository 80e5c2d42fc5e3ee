import type { TestHub } from "@fairlead/testkit";

/** How to reach a hub, and as whom. */
export type HubAddress = Pick<TestHub, "adminToken" | "agentPort" | "caPem" | "port">;
