// How the first admin's token gets to whoever started the hub: shown, or written to a file for its owner alone.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface FirstToken {
  readonly token: string;
  readonly peopleUrl: string;
  readonly caFingerprint: string;
}

/** Gives the text to show. When the file can't be made, the text has the token, so that it isn't lost. */
export async function handOverFirstToken(first: FirstToken, file: string | undefined): Promise<string> {
  if (file === undefined) return describeToken(first);
  try {
    if ((await readKeptToken(file)) === first.token) return describeFile(first, file);
    await mkdir(dirname(file), { recursive: true });
    // A file that is there is somebody's, and may be readable for others.
    await writeFile(file, `${first.token}\n`, { mode: 0o600, flag: "wx", flush: true });
    return describeFile(first, file);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    return `\nThe admin token can't be written to ${file} (${reason}).\n${describeToken(first)}`;
  }
}

/** As an earlier start may have written it to the file; it may be anything else, too. */
export async function readKeptToken(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const found = await stat(file);
    // A pipe or a terminal would be waited for.
    if (!found.isFile() || found.size > maxFileBytes) return undefined;
    return (await readFile(file, "utf8")).trim();
  } catch {
    return undefined;
  }
}

function describeFile({ peopleUrl, caFingerprint }: FirstToken, file: string): string {
  return [
    "",
    `Nobody has signed in since the hub's first start. The admin token is in ${file}. Sign in with`,
    "",
    `  fairlead login ${peopleUrl} --ca-fingerprint ${caFingerprint} < ${file}`,
    "",
    "",
  ].join("\n");
}

function describeToken({ token, peopleUrl, caFingerprint }: FirstToken): string {
  return [
    "",
    "Nobody has signed in since the hub's first start. Sign in with",
    "",
    `  fairlead login ${peopleUrl} --ca-fingerprint ${caFingerprint}`,
    "",
    "and the admin token below. Until it is used, a new start puts another one in its place:",
    "",
    `  ${token}`,
    "",
    "",
  ].join("\n");
}

const maxFileBytes = 1_024;
