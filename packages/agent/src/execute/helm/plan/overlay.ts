// Finds what Helm changes in an object where it applies on the client, as a merge patch (RFC 7386). Fields of the new
// revision go over those that are there; fields that only the revision before had are removed. Pure.
import { isExact } from "../../manifests/yaml/index.ts";
import { isMap } from "../values/merge.ts";

export function overlayOf(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after) || isExact(after)) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(Object.entries(after).map(([name, value]) => [name, overlayOf(before[name], value)])),
  };
}
