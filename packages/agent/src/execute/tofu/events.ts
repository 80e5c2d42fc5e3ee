// Reads OpenTofu's events, an object a line. Unknown events are dropped: they may hold values.

export type TofuEvent =
  | { readonly is: "line"; readonly text: string }
  | {
      readonly is: "diagnostic";
      readonly severity: "error" | "warning";
      readonly summary: string;
      readonly lines: readonly string[];
    }
  | { readonly is: "applied"; readonly action: string; readonly text: string };

export function readEvent(line: string): TofuEvent | undefined {
  let event: Raw;
  try {
    event = JSON.parse(line) as Raw;
  } catch {
    return undefined;
  }
  const text = String(event["@message"] ?? "");
  if (event.type === undefined) return told.test(text) ? { is: "line", text } : undefined;
  if (event.type === "diagnostic") return readDiagnostic(event.diagnostic ?? {});
  if (event.type === "apply_complete") return { is: "applied", action: event.hook?.action ?? "", text };
  return shownTypes.has(event.type) ? { is: "line", text } : undefined;
}

interface Raw {
  readonly "@message"?: unknown;
  readonly type?: string;
  readonly diagnostic?: Diagnostic;
  readonly hook?: { readonly action?: string };
}

interface Diagnostic {
  readonly severity?: string;
  readonly summary?: string;
  readonly detail?: string;
  readonly address?: string;
  readonly range?: { readonly filename?: string; readonly start?: { readonly line?: number } };
}

/** The snippet of the source and the values in it stay here. */
function readDiagnostic({ severity, summary = "", detail = "", address, range }: Diagnostic): TofuEvent {
  const isError = severity === "error";
  const where = [address, range?.filename && `${range.filename} line ${range.start?.line ?? "?"}`].filter(Boolean);
  const head = `${isError ? "Error" : "Warning"}: ${summary}${where.length > 0 ? ` (${where.join(", ")})` : ""}`;
  const lines = [head, ...detail.split("\n").filter((line) => line.trim() !== "")];
  return { is: "diagnostic", severity: isError ? "error" : "warning", summary, lines };
}

const shownTypes = new Set([
  "planned_change",
  "resource_drift",
  "change_summary",
  "apply_start",
  "apply_progress",
  "apply_errored",
  "provision_start",
  "provision_progress",
  "provision_complete",
  "provision_errored",
]);
/** While it prepares itself its lines have no type. */
const told = /^(?:- )?(?:Finding|Installing|Installed|Reusing|Using|Initializing)\b/;
