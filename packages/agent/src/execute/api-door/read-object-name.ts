// The name of an object in the body of a request, read from JSON or from Kubernetes' protobuf as the API server does.
// Undefined for everything that could be read in two ways.

/** Nothing but a name counts: one that the API server makes up (`generateName`) is none. */
export function readObjectName(body: Buffer, contentType: string | undefined): string | undefined {
  if (/^application\/json\b/i.test(contentType ?? "")) return nameInJson(body.toString("utf8"));
  if (contentType === "application/vnd.kubernetes.protobuf") return nameInProtobuf(body);
  return undefined;
}

function nameInJson(text: string): string | undefined {
  // Of a member that stands twice, also in another spelling, the API server could take the other one.
  if (text.includes("\\u") || text.match(/"(?:metadata|name)"/g)?.length !== 2) return undefined;
  try {
    const { metadata } = JSON.parse(text) as { metadata?: { name?: unknown; generateName?: unknown } };
    return typeof metadata?.name === "string" && metadata.generateName === undefined ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}

/** `k8s\0`, an envelope whose second field is the object, whose first field is its metadata, which begin with the name. */
function nameInProtobuf(body: Buffer): string | undefined {
  if (body.subarray(0, 4).toString("latin1") !== "k8s\0") return undefined;
  const object = fieldOf(body.subarray(4), 2);
  const metadata = object && fieldOf(object, 1);
  const isMadeUp = metadata === undefined || (fieldOf(metadata, 2)?.length ?? 0) > 0;
  return isMadeUp ? undefined : fieldOf(metadata, 1)?.toString("utf8");
}

/** A field of bytes that stands there once. Of one that stands twice the parts would be put together. */
function fieldOf(message: Buffer, wanted: number): Buffer | undefined {
  let found: Buffer | undefined;
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at);
    if (tag === undefined) return undefined;
    at = tag.end;
    const wireType = tag.value & 7;
    if (wireType === 2) {
      const size = readVarint(message, at);
      if (size === undefined || size.end + size.value > message.length) return undefined;
      at = size.end + size.value;
      if (tag.value >>> 3 !== wanted) continue;
      if (found !== undefined) return undefined;
      found = message.subarray(size.end, at);
    } else if (wireType === 0) {
      const value = readVarint(message, at);
      if (value === undefined) return undefined;
      at = value.end;
    } else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else return undefined;
  }
  return at === message.length ? found : undefined;
}

/** Lengths and tags of these messages are far below 2^28; longer values are only passed by. */
function readVarint(message: Buffer, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < Math.min(message.length, start + 10); at++) {
    const byte = message[at] ?? 0;
    if (at - start < 4) value |= (byte & 127) << (7 * (at - start));
    if (byte < 128) return { value: at - start < 4 ? value : Number.MAX_SAFE_INTEGER, end: at + 1 };
  }
  return undefined;
}
