import type { GitopsMode } from "@fairlead/contract";
import { InvalidArgumentError } from "commander";
import type { ToldModes } from "./plan-move.ts";

/** As they are typed. */
export interface ImportOptions {
  readonly file?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly agentNamespace?: string;
  readonly cluster?: readonly string[];
  readonly mode?: ToldModes;
  readonly apply?: boolean;
  readonly back?: boolean;
  readonly yes?: boolean;
}

export function parseMode(text: string, before: ToldModes = new Map()): ToldModes {
  const [, cluster, mode] = /^([^=]+)=(managed|autonomous)$/.exec(text) ?? [];
  if (cluster === undefined) throw new InvalidArgumentError("It has to be CLUSTER=managed or CLUSTER=autonomous.");
  return new Map([...before, [cluster, mode as Exclude<GitopsMode, "off">]]);
}
