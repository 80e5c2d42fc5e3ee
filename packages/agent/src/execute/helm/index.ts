import type { CommandRunner } from "../types.ts";
import { planHelm } from "./plan.ts";
import { runHelm } from "./run.ts";
import { parseHelmSpec } from "./spec.ts";
import type { HelmSpec } from "./types.ts";

/** Installs, upgrades, rolls back, tests and uninstalls a release of a chart by the program helm. */
export const helmRunner: CommandRunner<HelmSpec> = { parse: parseHelmSpec, plan: planHelm, run: runHelm };
