import { z } from "zod";
import type { EnrollAnswer } from "./enroll.ts";
import { identityErrors } from "./errors.ts";

/** A key and the token it was or is being enrolled with. */
export interface PendingIdentity {
  readonly keyPem: string;
  readonly tokenId: string;
}

export interface IssuedIdentity extends PendingIdentity, EnrollAnswer {}

/** A pending key is stored before it is enrolled, so that a lost answer can be asked for again. */
export interface StoredIdentity {
  readonly issued?: IssuedIdentity | undefined;
  readonly pending?: PendingIdentity | undefined;
}

/** Where the identity is kept. Two processes may share it (a rolling update): whoever writes second sees the first. */
export interface IdentityStorage {
  /** For messages: a path or the name of a Secret. */
  readonly place: string;
  read(): Promise<StoredIdentity>;
  /** Applies the change to what is stored now and returns what is stored then; may call it again after a conflict. */
  update(change: (current: StoredIdentity) => StoredIdentity): Promise<StoredIdentity>;
}

export function formatStored(identity: StoredIdentity): string {
  return `${JSON.stringify({ version: 1, ...identity }, null, 2)}\n`;
}

export function parseStored(text: string, place: string): StoredIdentity {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which holds the key.
    throw identityErrors.IDENTITY_CORRUPT({ place });
  }
  const result = storedSchema.safeParse(value);
  if (!result.success) throw identityErrors.IDENTITY_CORRUPT({ place });
  const { issued, pending } = result.data;
  return { issued, pending };
}

const pendingSchema = z.object({ keyPem: z.string(), tokenId: z.string() });
const storedSchema = z.object({
  version: z.literal(1),
  pending: pendingSchema.optional(),
  issued: pendingSchema
    .extend({ cluster: z.string(), roles: z.array(z.string()), certificateChainPem: z.string(), caPem: z.string() })
    .optional(),
});
