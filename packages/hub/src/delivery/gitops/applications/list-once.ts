import { onAbort } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";
import type { HubObjects, WatchScope } from "../types.ts";

/** All objects of a scope as they are now. Throws GITOPS_OBJECTS_UNAVAILABLE. */
export async function listOnce(objects: HubObjects, scope: WatchScope): Promise<readonly GitopsObject[]> {
  const listed = Promise.withResolvers<readonly GitopsObject[]>();
  const stop = new AbortController();
  const timeOut = AbortSignal.timeout(listTimeoutMs);
  using _waiting = onAbort(timeOut, () => fail("it takes too long"));
  const watching = objects.watch({
    ...scope,
    signal: stop.signal,
    handler: { listed: listed.resolve, changed: () => undefined, deleted: () => undefined, unavailable: fail },
  });
  watching.catch(listed.reject);
  try {
    return await listed.promise;
  } finally {
    stop.abort();
    await watching.catch(() => undefined);
  }

  function fail(reason: string): void {
    listed.reject(gitopsErrors.GITOPS_OBJECTS_UNAVAILABLE({ reason }));
  }
}

const listTimeoutMs = 20_000;
