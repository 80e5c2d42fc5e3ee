// The same records as lines of a file or of standard output, for whoever collects logs. A file that misses the newest
// of them (the hub was killed between the store and it) gets them at the next start.
import { type FileHandle, open } from "node:fs/promises";
import { auditErrors } from "./errors.ts";

export interface AuditSink extends AsyncDisposable {
  write(lines: readonly string[]): Promise<void>;
  /** The last whole line that was there before; undefined for none and for standard output. */
  readonly lastLine: string | undefined;
}

export async function openAuditSink(path: string): Promise<AuditSink> {
  if (path === "-") return createOutputSink(process.stdout);
  let file: FileHandle;
  try {
    file = await open(path, "a+", 0o600);
  } catch (cause) {
    throw auditErrors.AUDIT_LOG_UNUSABLE({ path, cause });
  }
  try {
    const { lastLine, isTorn } = await readLastLine(file);
    if (isTorn) await file.appendFile("\n");
    return createFileSink(file, path, lastLine);
  } catch (cause) {
    await file.close();
    throw auditErrors.AUDIT_LOG_UNUSABLE({ path, cause });
  }
}

function createFileSink(file: FileHandle, path: string, lastLine: string | undefined): AuditSink {
  return {
    lastLine,
    async write(lines) {
      const { size: before } = await file.stat();
      try {
        await file.appendFile(`${lines.join("\n")}\n`);
      } catch (cause) {
        // A full disk leaves half a line; the next try begins where this one did.
        await file.truncate(before).catch(() => undefined);
        throw auditErrors.AUDIT_LOG_UNUSABLE({ path, cause });
      }
    },
    async [Symbol.asyncDispose]() {
      await file.sync().catch(() => undefined);
      await file.close();
    },
  };
}

function createOutputSink(output: NodeJS.WritableStream): AuditSink {
  return {
    lastLine: undefined,
    write: (lines) =>
      new Promise((resolve, reject) => {
        output.write(`${lines.join("\n")}\n`, (error) =>
          error ? reject(auditErrors.AUDIT_LOG_UNUSABLE({ path: "-", cause: error })) : resolve(),
        );
      }),
    async [Symbol.asyncDispose]() {},
  };
}

async function readLastLine(file: FileHandle): Promise<{ lastLine: string | undefined; isTorn: boolean }> {
  const { size } = await file.stat();
  const length = Math.min(size, tailBytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const lines = buffer.toString("utf8").split("\n");
  const isTorn = lines.pop() !== "" && length > 0;
  return { lastLine: lines.at(-1), isTorn };
}

/** Longer than any record. */
const tailBytes = 64 * 1024;
