// Reads JSON that a peer has written. A member that isn't there, or isn't of its kind, is undefined; nothing throws.
export function parseObject(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0x7fff_ffff;
}
