import type { CheckInput } from "../checks/index.ts";

/** Asks nothing of what a provider runs out of sight. */
export function isInstalled({ installation }: CheckInput): boolean {
  return installation.presence.is === "installed";
}
