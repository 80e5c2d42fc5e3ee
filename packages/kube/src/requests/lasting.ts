import type { RequestAttributes } from "./request-attributes.ts";

/**
 * True for a request that goes on for as long as its client wants: a watch, or a log that is followed. Upgrades do as
 * well.
 */
export function isLasting(attributes: RequestAttributes | undefined, path: string): boolean {
  if (attributes?.verb === "watch") return true;
  return attributes?.subresource === "log" && isFollowed(path);
}

/** As the API server reads it, whatever way it is written. */
function isFollowed(path: string): boolean {
  const follow = new URLSearchParams(path.slice(path.indexOf("?") + 1)).get("follow");
  return follow !== null && follow !== "0" && follow.toLowerCase() !== "false";
}
