import { access } from "node:fs/promises";

/** False also where it may not be looked at. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
