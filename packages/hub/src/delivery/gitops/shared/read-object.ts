import { type GitopsKind, type GitopsObject, toContent, toDataPart, toProjectPart } from "@fairlead/protocol";
import type { SharedObject } from "./types.ts";

/** Keeps what clusters get, and no more of it. Pure. */
export function readObject(kind: GitopsKind, object: GitopsObject): SharedObject {
  const { metadata } = object;
  const part = kind === "projects" ? toProjectPart(object) : toDataPart(object);
  const { version, contentJson } = toContent(metadata, part);
  const { uid = "", name } = metadata;
  return { uid, name, part, version, sizeBytes: contentJson.byteLength };
}
