// What a proposal's plan knows of Secrets before somebody who may create it has seen it: nothing.
import { readReferences } from "../../secrets/index.ts";
import type { SecretValues } from "../types.ts";

export interface HiddenSecrets extends SecretValues {
  /** References that stayed as they are. */
  readonly hiddenCount: number;
}

/** Leaves each reference as it is. ConfigMaps aren't read either: they may lie in namespaces of others. */
export function hideSecrets(others: Pick<SecretValues, "conceal" | "concealed" | "redact" | "read">): HiddenSecrets {
  const { conceal, concealed, redact, read } = others;
  let hiddenCount = 0;
  const resolve = async (text: string): Promise<string> => {
    hiddenCount += readReferences(text).filter((part) => typeof part !== "string").length;
    return text;
  };
  const hidden: HiddenSecrets = {
    resolve,
    conceal,
    concealed,
    redact,
    read,
    forHost: () => hidden,
    heeding: () => hidden,
    get hiddenCount() {
      return hiddenCount;
    },
  };
  return hidden;
}
