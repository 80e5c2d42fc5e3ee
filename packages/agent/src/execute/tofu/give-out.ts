// The outputs of a configuration go into a Secret; the hub hears of their names.
import { removeOutputs, writeOutputs } from "../../secrets/index.ts";
import { tofuErrors } from "./errors.ts";
import { conceal } from "./report/read-plan.ts";
import type { Session } from "./session.ts";
import { ownerOf } from "./state/names.ts";

export interface GivenOut {
  readonly outputs: readonly { readonly name: string; readonly type: unknown; readonly sensitive: boolean }[];
  /** NAMESPACE/NAME */
  readonly secret?: string | undefined;
}

/** Throws TOFU_OUTPUT_MISSING, and what `writeOutputs` throws. */
export async function giveOut({ task, cli }: Session): Promise<GivenOut> {
  const { kube, spec, signal, secrets } = task;
  const { stdout } = await cli.read(["output", "-json"]);
  signal.throwIfAborted();
  const all = Object.entries(JSON.parse(stdout || "{}") as Record<string, RawOutput>);
  for (const [, { value, sensitive }] of all) conceal(value, sensitive, secrets);
  const outputs = all.map(([name, { type, sensitive }]) => ({ name, type, sensitive }));
  if (spec.outputs === undefined) return { outputs };
  const place = { kube, namespace: spec.namespace, name: spec.outputs.secret, owner: ownerOf(spec), signal };
  task.mayAct();
  if (spec.action === "destroy") {
    await removeOutputs(place);
    return { outputs };
  }
  const { names = all.map(([name]) => name) } = spec.outputs;
  const known = new Map(all);
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) throw tofuErrors.TOFU_OUTPUT_MISSING({ name: missing });
  const values = Object.fromEntries(names.map((name) => [name, known.get(name)?.value]));
  const { did } = await writeOutputs({ ...place, values });
  const secret = `${spec.namespace}/${spec.outputs.secret}`;
  task.log.line(`tofu: the Secret ${secret} with the outputs is ${did}`);
  return { outputs, secret };
}

interface RawOutput {
  readonly sensitive: boolean;
  readonly type: unknown;
  readonly value: unknown;
}
