import type { RawHeaders } from "../link/index.ts";

export function toRawHeaders(headers: Headers | undefined): string[] {
  const raw: string[] = [];
  headers?.forEach((value, name) => {
    raw.push(name, value);
  });
  return raw;
}

/** Names and values were checked when the frame was read, so that none of them throws here. */
export function fromRawHeaders(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string);
  return headers;
}
