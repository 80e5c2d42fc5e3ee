// An object of ours, as the inventory takes it: the same content gives the same bytes, whichever agent made them.
import { hash } from "node:crypto";
import { apiVersionOf } from "@fairlead/kube";
import { toVersion } from "@fairlead/protocol";
import type { ObservedKind, ObservedObject } from "../../observe/index.ts";

export interface OwnContent {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status: unknown;
}

export function toOwnObject(kind: ObservedKind, content: OwnContent, clusterUid: string): ObservedObject {
  const { name, labels, spec, status } = content;
  const uid = toUid(`${clusterUid}/${kind.key}/${name}`);
  const metadata = { name, uid, ...(labels && { labels }) };
  const json = Buffer.from(JSON.stringify({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec, status }));
  return { uid, namespace: "", name, version: toVersion(json), json };
}

/** Derived, and marked as such (version 8), so that it stays over restarts and is another one in another cluster. */
function toUid(text: string): string {
  const hex = hash("sha256", text).slice(0, 32).split("");
  hex[12] = "8";
  hex[16] = "8";
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
