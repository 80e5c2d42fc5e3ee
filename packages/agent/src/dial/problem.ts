import type { IncomingMessage } from "node:http";
import { FairleadError } from "@fairlead/kernel";
import { dialErrors } from "./errors.ts";

/** Reads the hub's refusal (problem+json) as the coded error that it is; anything else stays recognisable as not ours. */
export async function readRefusal(response: IncomingMessage, hub: URL): Promise<FairleadError> {
  const httpStatus = response.statusCode ?? 502;
  const problem = parseProblem(await readText(response).catch(() => ""));
  if (!problem) return dialErrors.LINK_NOT_A_HUB({ host: hub.host, status: httpStatus });
  const { code, detail, hint } = problem;
  return new FairleadError({ code, message: detail, hint, httpStatus, retryable: isRetryable(httpStatus) });
}

/** The body as text, at most 64 KiB of it. */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBodyBytes) throw new Error("the hub's answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseProblem(text: string): { code: string; detail: string; hint: string | undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("code" in value) || typeof value.code !== "string") return;
  if (!/^[A-Z][A-Z0-9_]{2,63}$/.test(value.code)) return;
  const detail = "detail" in value && typeof value.detail === "string" ? value.detail : "The hub rejected the request.";
  return { code: value.code, detail, hint: "hint" in value && typeof value.hint === "string" ? value.hint : undefined };
}

function isRetryable(httpStatus: number): boolean {
  return httpStatus >= 500 || httpStatus === 408 || httpStatus === 429;
}

const maxBodyBytes = 64 * 1024;
