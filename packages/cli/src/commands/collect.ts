import type { LabelChanges, Labels } from "@fairlead/contract";
import { usage } from "../errors.ts";

/** For an option that may be repeated. */
export function collectText(text: string, sofar: string[] | undefined): string[] {
  return [...(sofar ?? []), text];
}

/** `--label env=prod --label tier=web`. */
export function collectLabel(text: string, sofar: Labels | undefined): Labels {
  const at = text.indexOf("=");
  if (at < 1) throw usage(`'${text}' isn't a label.`, "Write it like env=prod.");
  return { ...sofar, [text.slice(0, at)]: text.slice(at + 1) };
}

/** `--label env=prod --label tier-`, as `kubectl label` takes them. */
export function collectLabelChange(text: string, sofar: LabelChanges | undefined): LabelChanges {
  const isRemoval = !text.includes("=") && text.length > 1 && text.endsWith("-");
  return isRemoval ? { ...sofar, [text.slice(0, -1)]: null } : { ...sofar, ...collectLabel(text, {}) };
}
