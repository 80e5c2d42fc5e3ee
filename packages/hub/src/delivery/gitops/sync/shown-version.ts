// Where the hub shows another status than the cluster said, it remembers which one that was: else each comparison with the
// cluster would find a difference. Pure.
import type { Application } from "@fairlead/protocol";

export interface ShownVersion {
  /** The version of the status that the cluster told. */
  readonly told: bigint;
  /** The version of the status that the hub shows instead. */
  readonly shown: bigint;
}

export function withShownVersion(application: Application, { told, shown }: ShownVersion): Application {
  const { metadata } = application;
  const { [annotation]: before, ...others } = metadata.annotations ?? {};
  if (told === shown && before === undefined) return application;
  const mark = told === shown ? {} : { [annotation]: `${told.toString(16)} ${shown.toString(16)}` };
  return { ...application, metadata: { ...metadata, annotations: { ...others, ...mark } } };
}

export function readShownVersion({ metadata }: Application): ShownVersion | undefined {
  const [told = "", shown = ""] = metadata.annotations?.[annotation]?.split(" ") ?? [];
  if (!hex.test(told) || !hex.test(shown)) return undefined;
  return { told: BigInt(`0x${told}`), shown: BigInt(`0x${shown}`) };
}

const annotation = "fairlead.dev/shown-version";
const hex = /^[0-9a-f]{1,16}$/;
