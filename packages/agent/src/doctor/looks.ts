import type { Look } from "@fairlead/doctor";

/** Notes everything that checks looked at, so that it can be read for the next examination. */
export interface Looks {
  readonly resources: Set<string>;
  /** `namespace/name`. */
  readonly configMaps: Set<string>;
}

export function noteLook(looks: Looks, look: Look): void {
  if (look.at === "resource") looks.resources.add(look.resource);
  else if (looks.configMaps.size < maxConfigMaps) looks.configMaps.add(`${look.namespace}/${look.name}`);
}

/** Names of ConfigMaps stand in arguments of workloads, so that whoever writes those says which are asked for. */
const maxConfigMaps = 64;
