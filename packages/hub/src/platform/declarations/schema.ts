// The schemas of documents, by kind. They take what the API takes for the same thing.
import {
  createBindingRequestSchema,
  displayNameSchema,
  labelsSchema,
  putRoleRequestSchema,
  rolesSchema,
  tokenScopeSchema,
} from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { LimitSettings } from "../limits/index.ts";
import type { Declaration, DeclaredKind, Place } from "./types.ts";

export const declaredKinds: readonly DeclaredKind[] = ["Cluster", "Role", "Binding", "Robot", "Limits"];

/** Throws a ZodError. `content` is the document without `apiVersion`, `kind` and `name`. */
export function readDeclaration(options: {
  readonly kind: DeclaredKind;
  readonly name: unknown;
  readonly content: Readonly<Record<string, unknown>>;
  readonly place: Place;
}): Declaration {
  const { kind, content, place } = options;
  switch (kind) {
    case "Cluster":
      return { kind, cluster: { ...place, name: readName(options.name), ...clusterSchema.parse(content) } };
    case "Role":
      return { kind, role: { ...place, name: readName(options.name), ...putRoleRequestSchema.parse(content) } };
    case "Binding": {
      const { record = false, ...rest } = createBindingRequestSchema.parse(content);
      return { kind, binding: { ...place, name: readName(options.name), ...rest, record } };
    }
    case "Robot":
      return { kind, robot: { ...place, name: readName(options.name), ...robotSchema.parse(content) } };
    case "Limits":
      z.object({ name: z.undefined("there is one for the hub, without a name") }).parse({ name: options.name });
      return { kind, limits: { ...place, limits: readLimits(content) } };
  }
}

/** Only those that are said: others are the settings'. */
function readLimits(content: unknown): Partial<LimitSettings> {
  const said = Object.entries(limitsSchema.parse(content)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Partial<LimitSettings>;
}

function readName(name: unknown): string {
  return z.object({ name: nameSchema }).parse({ name }).name;
}

const nameSchema = z.string("is missing").refine(isDnsLabel, {
  message: "isn't a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end",
});

const clusterSchema = z.strictObject({
  labels: labelsSchema.default({}),
  displayName: displayNameSchema.optional(),
  protected: z.boolean().default(false),
  roles: rolesSchema.default(["proxy"]),
  identityEpoch: z.int().min(0).max(1_000_000_000).default(0),
});

const robotSchema = z.strictObject({
  description: z.string().min(1).max(512).optional(),
  tokens: z
    .array(
      z
        .strictObject({
          sha256: z.string().regex(/^[0-9a-f]{64}$/, "isn't a SHA-256 in lower-case hex"),
          expiresAt: z.iso.datetime({ offset: true, error: "isn't a time such as 2030-01-31T00:00:00Z" }),
          scope: tokenScopeSchema.optional(),
        })
        .transform(({ expiresAt, ...rest }) => ({ ...rest, expiresMs: Date.parse(expiresAt) })),
    )
    .max(16)
    .default([]),
});

const count = z.int().min(1).max(1_000_000).optional();
const rate = z
  .int()
  .refine((value) => value === 0 || value >= 16_384, "is neither 0 nor a whole number from 16384 on")
  .optional();

const limitsSchema = z.strictObject({
  userRequests: count,
  userStreams: count,
  userBytesPerSecond: rate,
  clusterRequests: count,
  clusterStreams: count,
  clusterBytesPerSecond: rate,
  hubRequests: count,
  userApiRequests: count,
  addressApiRequests: count,
});
