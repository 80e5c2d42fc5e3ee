import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import { Masked } from "../../redact/index.ts";
import { executeErrors } from "../errors.ts";
import type { CommandRecord } from "./types.ts";

/** Throws COMMAND_STATE_TOO_LARGE. */
export async function encodeRecord(record: CommandRecord): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify({ version: 1, ...record }));
  if (json.length > mostBytes) throw executeErrors.COMMAND_STATE_TOO_LARGE({ limitBytes: mostBytes });
  // Most are small, and made several times for each command.
  return json.length <= plainBytes ? json : await compress(json, { level: 1 });
}

/** Throws COMMAND_RECORD_INVALID. */
export async function decodeRecord(bytes: Uint8Array, place: string): Promise<CommandRecord> {
  try {
    const json = isGzip(bytes) ? await decompress(bytes, { maxOutputLength: mostBytes }) : Buffer.from(bytes);
    const { version: _version, ...record } = schema.parse(JSON.parse(json.toString()));
    return record;
  } catch (error) {
    throw executeErrors.COMMAND_RECORD_INVALID({ place, cause: error });
  }
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** It was masked before it was recorded. */
const masked = z.string().transform(Masked.kept);
const outcome = z.object({
  state: z.enum(["succeeded", "failed", "cancelled", "refused"]),
  code: z.string(),
  message: masked,
  hint: masked,
  result: masked,
  logBytes: z.number(),
});
const planDigests = z.object({ own: z.string(), shown: z.string(), asked: z.string() });
const owedLog = z.object({ spool: z.string(), bytes: z.number() });
const schema = z.object({
  version: z.literal(1),
  id: z.string().min(1),
  epoch: z.number().int().positive(),
  kind: z.string(),
  expiresAtMs: z.number(),
  askedAtMs: z.number().optional(),
  asked: z.string().optional(),
  life: z.discriminatedUnion("is", [
    z.object({
      is: z.literal("open"),
      state: z.unknown().optional(),
      approved: planDigests.optional(),
      spool: z.string().optional(),
    }),
    z.object({
      is: z.literal("planned"),
      digests: planDigests,
      state: z.unknown().optional(),
      json: masked,
      keptUntilMs: z.number(),
      approved: planDigests.optional(),
    }),
    z.object({ is: z.literal("ended"), outcome, sequence: z.number().int(), spool: z.string().optional() }),
    z.object({ is: z.literal("settled"), outcomeDigest: z.string(), owes: owedLog.optional() }),
  ]),
});

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const plainBytes = 16 * 1024;
/** The most that a record takes as JSON. */
const mostBytes = 32 * 1024 * 1024;
