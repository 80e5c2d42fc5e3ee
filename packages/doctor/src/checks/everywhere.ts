import { destructive, type Risk } from "./verdict.ts";

/** For a controller that is kept to some namespaces today. */
export function everywhere(controller: string): Risk {
  return destructive(`${controller} then acts in all namespaces, also in those from which it was kept out.`);
}
