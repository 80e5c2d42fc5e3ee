import type { SecretValues } from "./types.ts";

/**
 * Cuts a text to so many characters. It is masked before it is cut: no mask finds a secret value of which a part is
 * missing.
 */
export function cutText(secrets: Pick<SecretValues, "redact">, text: string, mostLength: number): string {
  if (text.length <= mostLength) return text;
  const masked = String(secrets.redact(text));
  return masked.length > mostLength ? `${masked.slice(0, mostLength)}…` : masked;
}
