// The messages of a call, as the session makes and takes them.
import type { Client } from "@connectrpc/connect";
import type {
  Ack,
  BucketEntries,
  Change,
  Digests,
  ExamineBy,
  InventoryService,
  Kind,
  QuotaRefusal,
  SyncRequest,
  Welcome,
} from "@fairlead/protocol";
import type { Question } from "./kind-sync.ts";
import type { KindState, LocalKind, Plain } from "./types.ts";

/** A message of the agent. */
export type ToHub = Parameters<Client<typeof InventoryService>["sync"]>[0] extends AsyncIterable<infer T> ? T : never;

/** A message of the hub. */
export type FromHub =
  | { readonly case: "welcome"; readonly value: Plain<Welcome> }
  | { readonly case: "digests"; readonly value: Plain<Digests> }
  | { readonly case: "bucketEntries"; readonly value: Plain<BucketEntries> }
  | { readonly case: "ack"; readonly value: Plain<Ack> }
  | { readonly case: "refusal"; readonly value: Plain<QuotaRefusal> }
  | { readonly case: "examineBy"; readonly value: Plain<ExamineBy> }
  | { readonly case: undefined };

export type PlainChange = Plain<Change>;

export function toRequest(message: Exclude<SyncRequest["message"], { case: undefined }>["case"], value: object): ToHub {
  return { message: { case: message, value } } as ToHub;
}

export function toKind(local: LocalKind, state: KindState): Plain<Kind> {
  const { description, unavailable } = local;
  const { group, version, resource, kind, namespaced, shortNames, printerColumns, derived = false } = description;
  const why = state === "unavailable" ? unavailable : undefined;
  return {
    id: local.id,
    group,
    version,
    resource,
    kind,
    namespaced,
    state,
    derived,
    shortNames: [...shortNames],
    printerColumnsJson: printerColumns === undefined ? "" : JSON.stringify(printerColumns),
    code: why?.code ?? "",
    message: why?.message ?? "",
  };
}

export function toQuestion(kind: number, question: Question): ToHub {
  const { bucketCount } = question;
  if (question.ask === "digests") return toRequest("compare", { kind, bucketCount });
  return toRequest("listBuckets", { kind, bucketCount, buckets: [...question.buckets] });
}
