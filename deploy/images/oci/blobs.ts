// The blobs of one image layout: every content under its digest.
import { createHash, randomBytes } from "node:crypto";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export function blobPath(layoutDir: string, digest: string): string {
  return join(layoutDir, "blobs", ...digest.split(":"));
}

export async function writeBlob(layoutDir: string, mediaType: string, content: Buffer | object): Promise<Descriptor> {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  await place(layoutDir, digest, (draft) => writeFile(draft, bytes));
  return { mediaType, digest, size: bytes.length };
}

export async function copyBlob(layoutDir: string, digest: string, from: string): Promise<void> {
  await place(layoutDir, digest, (draft) => copyFile(from, draft));
}

async function place(layoutDir: string, digest: string, write: (draft: string) => Promise<void>): Promise<void> {
  const path = blobPath(layoutDir, digest);
  await mkdir(join(path, ".."), { recursive: true });
  const draft = join(layoutDir, `.${randomBytes(6).toString("hex")}`);
  try {
    await write(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
