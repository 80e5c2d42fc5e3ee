// asciicast v2: a head, then one event a line. https://docs.asciinema.org/manual/asciicast/v2/
import { replayErrors } from "./errors.ts";

export interface CastHead {
  readonly width: number;
  readonly height: number;
}

export interface CastEvent {
  readonly atMs: number;
  /** `o` for what was shown; what was typed (`i`), sizes (`r`) and marks (`m`) are not played. */
  readonly kind: string;
  readonly data: string;
}

export function parseHead(line: string): CastHead {
  const { version, width, height } = (parse(line) ?? {}) as Record<string, unknown>;
  if (version !== 2) throw replayErrors.CLI_RECORDING_INVALID({ why: "it isn't an asciicast of version 2" });
  return { width: Number(width) || 0, height: Number(height) || 0 };
}

export function parseEvent(line: string): CastEvent {
  const value = parse(line);
  if (!Array.isArray(value)) throw replayErrors.CLI_RECORDING_INVALID({ why: "one of its events can't be read" });
  const [seconds, kind, data] = value as unknown[];
  if (typeof seconds !== "number" || typeof kind !== "string" || typeof data !== "string") {
    throw replayErrors.CLI_RECORDING_INVALID({ why: "one of its events can't be read" });
  }
  return { atMs: seconds * 1000, kind, data };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
