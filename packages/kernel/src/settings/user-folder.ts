import { homedir } from "node:os";

/** A container's user may be one that the system has no record of. */
export function userFolder(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}
