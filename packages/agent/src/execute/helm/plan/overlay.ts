// What Helm changes of an object where it applies on the client: what the revision says is put over what is there, and what
// the revision before said and this one doesn't is taken away. As a merge patch (RFC 7386). Pure.
import { isMap } from "../values/merge.ts";

export function overlayOf(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(Object.entries(after).map(([name, value]) => [name, overlayOf(before[name], value)])),
  };
}
