// The password that clients must show. The file is read again now and then, so that it can be changed without a restart.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Clock, reasonOf } from "@fairlead/kernel";
import { resourceTreeErrors } from "./errors.ts";
import type { RespCredentials } from "./read-command.ts";

export interface ClientPassword {
  matches(credentials: RespCredentials): Promise<boolean>;
}

export async function openClientPassword({
  file,
  clock,
}: {
  readonly file: string;
  readonly clock: Clock;
}): Promise<ClientPassword> {
  let known = { digest: await readDigest(file), atMs: clock.steadyMs() };
  return {
    async matches({ username, password }) {
      if (clock.steadyMs() - known.atMs > keptMs) {
        // A file that is being replaced may be away for a moment.
        const digest = await readDigest(file).catch(() => known.digest);
        known = { digest, atMs: clock.steadyMs() };
      }
      // Digests have one length, so that the comparison takes as long for any password.
      return timingSafeEqual(digestOf(password), known.digest) && username === "default";
    },
  };
}

async function readDigest(file: string): Promise<Buffer> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw invalid(`${file} can't be read (${reasonOf(error)})`, error);
  });
  const password = text.replace(/\r?\n$/, "");
  if (password.length < shortest) throw invalid(`it has fewer than ${shortest} characters`);
  return digestOf(Buffer.from(password));
}

function digestOf(password: Buffer): Buffer {
  return createHash("sha256").update(password).digest();
}

function invalid(reason: string, cause?: unknown): Error {
  return resourceTreeErrors.RESOURCE_TREE_SETTING_INVALID({ name: "argo-redis-password-file", reason, cause });
}

const keptMs = 5_000;
const shortest = 8;
