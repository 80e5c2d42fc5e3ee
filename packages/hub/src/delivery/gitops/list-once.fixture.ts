import type { GitopsObject } from "@fairlead/protocol";
import type { HubObjects } from "./types.ts";

export async function listOnce(
  objects: Pick<HubObjects, "watch">,
  wanted: Pick<Parameters<HubObjects["watch"]>[0], "kind" | "namespace">,
): Promise<readonly GitopsObject[]> {
  const stop = new AbortController();
  const listed = Promise.withResolvers<readonly GitopsObject[]>();
  const ignore = (): void => undefined;
  const handler = { listed: listed.resolve, changed: ignore, deleted: ignore, unavailable: ignore };
  void objects.watch({ ...wanted, labelSelector: "", handler, signal: stop.signal }).catch(ignore);
  const found = await listed.promise;
  stop.abort();
  return found;
}
