import { Fields } from "@fairlead/kernel";
import type { Workload } from "./workload.ts";

export interface ConfigMounts {
  /** Names of ConfigMaps in the workload's namespace, in the order of volumes. */
  readonly maps: readonly string[];
  readonly hasSecret: boolean;
}

/** A volume holds one map or Secret, or is projected of several. */
export function readConfigMounts({ object }: Workload): ConfigMounts {
  const sources = new Fields(object)
    .at("spec", "template", "spec", "volumes")
    .list()
    .flatMap((volume) => [volume, ...volume.at("projected", "sources").list()]);
  return {
    maps: [...new Set(sources.flatMap((source) => source.at("configMap", "name").text() ?? []))],
    hasSecret: sources.some((source) => source.at("secret").exists),
  };
}
