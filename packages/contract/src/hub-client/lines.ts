// Answers that come line by line and may never end: records that are followed, recordings that are replayed.
import type { AuditRecord } from "../audit/index.ts";
import { answerInvalid, hubAnswered, hubUnreachable, parseJson } from "../hub-error.ts";

/** Empty lines only say that the hub is there. A problem document in a line is how an answer that has begun fails. */
export async function* readRecords(lines: AsyncIterable<string>): AsyncGenerator<AuditRecord> {
  const [{ auditRecordSchema }, { problemSchema }] = await Promise.all([
    import("../audit/index.ts"),
    import("../problem.ts"),
  ]);
  for await (const line of lines) {
    const value = parseJson(line);
    const record = auditRecordSchema.safeParse(value);
    if (record.success) yield record.data;
    else if (problemSchema.safeParse(value).success) throw hubAnswered({ status: 503, body: line, requestId: "" });
    else throw answerInvalid("the stream of audit records", "", record.error);
  }
}

/** Without empty lines, and without the line feeds. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > maxLineLength) throw hubUnreachable("this address", new Error("a line has no end"));
    for (const part of parts) if (part !== "") yield part;
  }
  if (rest !== "") yield rest;
}

const maxLineLength = 16 * 1024 * 1024;
