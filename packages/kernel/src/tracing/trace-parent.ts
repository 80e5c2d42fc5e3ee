// `traceparent` of W3C Trace Context, https://www.w3.org/TR/trace-context/#traceparent-header: version 00, and the same
// fields at the beginning of later versions.
import { createHash } from "node:crypto";

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Undefined for what isn't valid. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] = pattern.exec(text ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** The same for the same key, in every program. */
export function deriveTraceParent(key: string, sampleRatio: number): string {
  const digest = createHash("sha256").update(key).digest();
  const isSampled = digest.readUInt32BE(24) < sampleRatio * 2 ** 32;
  return formatTraceParent({
    traceId: digest.toString("hex", 0, 16),
    spanId: digest.toString("hex", 16, 24),
    isSampled,
  });
}

/** The header's value in flat name and value pairs; the first, where there are several. */
export function findTraceParent(lines: readonly string[]): string | undefined {
  for (let index = 0; index + 1 < lines.length; index += 2) {
    if (isTraceParent(lines[index])) return lines[index + 1];
  }
  return undefined;
}

/** For the next hop, in flat name and value pairs. Without a span the lines stay as they are. */
export function replaceTraceParent(lines: string[], span: { readonly traceParent: string } | undefined): string[] {
  if (span === undefined) return lines;
  const kept: string[] = [];
  for (let index = 0; index + 1 < lines.length; index += 2) {
    if (!isTraceParent(lines[index])) kept.push(lines[index] ?? "", lines[index + 1] ?? "");
  }
  kept.push(headerName, span.traceParent);
  return kept;
}

function isTraceParent(name: string | undefined): boolean {
  return name?.length === headerName.length && name.toLowerCase() === headerName;
}

const headerName = "traceparent";
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;
