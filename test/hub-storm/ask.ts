import type { TestHub } from "@fairlead/testkit";
import { type HubAnswer, requestHub } from "../fleet/request-hub.ts";

/** Undefined where no answer came, as when the hub was killed or stands still. */
export async function ask(
  hub: Pick<TestHub, "adminToken" | "caPem" | "port">,
  path: string,
  options: Parameters<typeof requestHub>[2] = {},
): Promise<HubAnswer | undefined> {
  return requestHub(hub, path, options).catch(() => undefined);
}
