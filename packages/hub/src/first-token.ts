// How the first admin's token gets to whoever started the hub: shown once, or written to a file for its owner alone.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface FirstToken {
  readonly token: string;
  readonly peopleUrl: string;
  readonly caFingerprint: string;
}

/** What is to be said of it. A file that can't be made isn't a reason to lose the token: then it is shown. */
export async function handOverFirstToken(first: FirstToken, file: string | undefined): Promise<string> {
  if (file === undefined) return describeToken(first);
  try {
    await mkdir(dirname(file), { recursive: true });
    // A file that is there is somebody's, and may be readable for others.
    await writeFile(file, `${first.token}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    return `\nThe admin token can't be written to ${file} (${reason}).\n${describeToken(first)}`;
  }
  return [
    "",
    `This is the hub's first start. The admin token is in ${file}. Sign in with`,
    "",
    `  fairlead login ${first.peopleUrl} --ca-fingerprint ${first.caFingerprint} < ${file}`,
    "",
    "",
  ].join("\n");
}

function describeToken({ token, peopleUrl, caFingerprint }: FirstToken): string {
  return [
    "",
    "This is the hub's first start. Sign in with",
    "",
    `  fairlead login ${peopleUrl} --ca-fingerprint ${caFingerprint}`,
    "",
    "and the admin token below. It is shown only this once:",
    "",
    `  ${token}`,
    "",
    "",
  ].join("\n");
}
