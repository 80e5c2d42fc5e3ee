export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The text was checked before. */
export function toListenAddress(text: string): ListenAddress {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(text.slice(at + 1)) };
}
