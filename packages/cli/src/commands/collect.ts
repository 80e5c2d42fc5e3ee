import type { Labels } from "@fairlead/contract";
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
