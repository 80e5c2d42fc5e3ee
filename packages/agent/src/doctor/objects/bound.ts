// Verdicts repeat texts of the cluster's objects, which anybody in it may write. Hence each text and each list is bounded.
import type { Evidence, Fix } from "@fairlead/doctor";

export function boundText(text: string, length: number = maxTextLength): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

export function boundEvidence(evidence: readonly Evidence[]): readonly unknown[] {
  return evidence.slice(0, maxEvidence).map((each) => boundValue(each, maxTextLength));
}

/** A fix that is cut can't be applied, so it is left out instead. */
export function boundFix(fix: Fix | undefined): { readonly fix?: Fix; readonly isFixTooLarge?: true } {
  if (fix === undefined) return {};
  return Buffer.byteLength(JSON.stringify(fix)) <= maxFixBytes ? { fix } : { isFixTooLarge: true };
}

function boundValue(value: unknown, length: number): unknown {
  if (typeof value === "string") return boundText(value, length);
  if (typeof value !== "object" || value === null) return value;
  if (JSON.stringify(value).length > maxEvidenceLength) return boundText(JSON.stringify(value), maxTextLength);
  return value;
}

const maxTextLength = 1_024;
const maxEvidence = 8;
const maxEvidenceLength = 4_096;
const maxFixBytes = 16 * 1024;
