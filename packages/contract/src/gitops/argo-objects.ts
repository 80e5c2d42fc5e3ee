// The objects of Argo CD that managed clusters share, where the hub keeps them itself.
import { z } from "zod";
import { optionalTextSchema } from "../primitives.ts";

export type ArgoObjectKind = (typeof argoObjectKinds)[number];
export const argoObjectKinds = ["projects", "repositories", "gpg-keys", "known-hosts", "tls-certs"] as const;

export interface ArgoObjectSummary {
  readonly kind: ArgoObjectKind;
  readonly name: string;
  /** To which a repository belongs; empty for others. */
  readonly project: string;
  readonly isDeleting: boolean;
}

export interface ArgoObjectList {
  readonly items: readonly ArgoObjectSummary[];
  readonly next?: string | undefined;
}

export interface ArgoObject extends ArgoObjectSummary {
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** A project's spec; empty for others. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The data of keys, known hosts and certificates; empty for others. */
  readonly data: Readonly<Record<string, string>>;
  /** A repository shows no more than the names of its values. */
  readonly valueNames: readonly string[];
}

export interface ArgoObjectListQuery {
  /** At most 500; 100 unless told. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface PutArgoObjectRequest {
  /** A project's spec. */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  /** The data of other kinds, as plain text. */
  readonly data?: Readonly<Record<string, string>> | undefined;
  /** Labels stay as they are unless given; so do annotations. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Given: only over this version of it. */
  readonly resourceVersion?: string | undefined;
}

const texts = z.record(z.string().min(1).max(320), z.string().max(1024 * 1024));
const anyObject = z.record(z.string(), z.unknown());
const summary = {
  kind: z.enum(argoObjectKinds),
  name: z.string(),
  project: z.string(),
  isDeleting: z.boolean(),
};

export const argoObjectKindSchema: z.ZodType<ArgoObjectKind> = summary.kind;

export const argoObjectListSchema: z.ZodType<ArgoObjectList> = z
  .object({ items: z.array(z.object(summary).meta({ id: "ArgoObjectSummary" })), next: z.string().optional() })
  .meta({ id: "ArgoObjectList" });

export const argoObjectSchema: z.ZodType<ArgoObject> = z
  .object({
    ...summary,
    resourceVersion: z.string(),
    labels: texts,
    annotations: texts,
    spec: anyObject,
    data: texts,
    valueNames: z.array(z.string()),
  })
  .meta({ id: "ArgoObject" });

export const argoObjectListQuerySchema: z.ZodType<ArgoObjectListQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).optional(),
  cursor: optionalTextSchema(253),
});

export const putArgoObjectRequestSchema: z.ZodType<PutArgoObjectRequest> = z
  .strictObject({
    spec: anyObject.optional(),
    data: texts.optional(),
    labels: texts.optional(),
    annotations: texts.optional(),
    resourceVersion: z.string().min(1).max(64).optional(),
  })
  .meta({ id: "PutArgoObjectRequest" });
