import { Fields } from "@fairlead/kernel";
import type { ContainerOfWorkload } from "../workloads/index.ts";
import type { Fix } from "./verdict.ts";

/** Takes a flag, and the value that stands in an item of its own, out of a container's words. */
export function withoutArgument(
  options: ContainerOfWorkload & { readonly flag: string; readonly isSwitch: boolean },
): Fix {
  const { workload, container, flag, isSwitch } = options;
  const index = Number(/\[(\d+)\]$/.exec(container.path)?.[1] ?? 0);
  const spec = new Fields(workload.object).at("spec", "template", "spec", "containers").list()[index];
  const patch = ["command", "args"].flatMap((field) => {
    const words = (spec?.at(field).list() ?? []).map((word) => word.scalar() ?? "");
    const kept = words.filter((word, at) => !isFlag(word) && !(isSwitch ? false : words[at - 1] === `--${flag}`));
    if (kept.length === words.length) return [];
    return [{ op: "replace", path: `/spec/template/spec/containers/${index}/${field}`, value: kept }];
  });
  return { is: "patch", object: workload.ref, type: "json", patch };

  function isFlag(word: string): boolean {
    return word === `--${flag}` || word.startsWith(`--${flag}=`);
  }
}
