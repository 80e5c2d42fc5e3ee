import { Fields } from "@fairlead/kernel";
import type { ContainerOfWorkload } from "../workloads/index.ts";
import type { Fix, Risk } from "./verdict.ts";

export interface ChangeArgumentOptions extends ContainerOfWorkload {
  readonly flag: string;
  /** A switch has no value that could stand in an item of its own. */
  readonly isSwitch: boolean;
  /** Left out, the flag goes away. */
  readonly value?: string;
  readonly risk: Risk;
}

export function changeArgument({ workload, container, flag, isSwitch, value, risk }: ChangeArgumentOptions): Fix {
  const index = Number(/\[(\d+)\]$/.exec(container.path)?.[1] ?? 0);
  const spec = new Fields(workload.object).at("spec", "template", "spec", "containers").list()[index];
  const patch = ["command", "args"].flatMap((field) => {
    const words = (spec?.at(field).list() ?? []).map((word) => word.scalar() ?? "");
    const kept = words.filter((word, at) => !isFlag(word) && (isSwitch || words[at - 1] !== `--${flag}`));
    const wanted = field === "args" && value !== undefined ? [...kept, `--${flag}=${value}`] : kept;
    if (wanted.length === words.length && kept.length === words.length) return [];
    // `add` replaces what is there, and makes what isn't.
    return [{ op: "add", path: `/spec/template/spec/containers/${index}/${field}`, value: wanted }];
  });
  return { is: "patch", risk, object: workload.ref, type: "json", patch };

  function isFlag(word: string): boolean {
    return word === `--${flag}` || word.startsWith(`--${flag}=`);
  }
}
