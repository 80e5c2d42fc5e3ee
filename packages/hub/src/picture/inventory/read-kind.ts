// Checks what an agent says of a kind: names end in keys, columns and answers.
import type { KindState } from "@fairlead/contract";
import type { Kind } from "@fairlead/protocol";
import { toStorableText } from "../../platform/store/index.ts";
import { readPrinterColumns } from "../tables/index.ts";
import type { KindRow } from "./copy-store.ts";
import { inventoryErrors } from "./errors.ts";

/** Throws INVENTORY_REQUEST_INVALID. */
export function readKind(
  message: Kind,
  options: { readonly cluster: string; readonly known: KindRow | undefined; readonly nowMs: number },
): KindRow {
  const { cluster, known, nowMs } = options;
  const { group, version, resource, kind: kindName, namespaced } = message;
  const isNamed = label.test(resource) && subdomain.test(group) && label.test(version) && word.test(kindName);
  if (!isNamed) throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a kind has an invalid name" });
  const state = states.find((each) => each === message.state);
  if (!state) throw inventoryErrors.INVENTORY_REQUEST_INVALID({ reason: "a kind has an unknown state" });
  const code = state === "unavailable" ? short(message.code, 64) : undefined;
  return {
    cluster,
    kind: keyOf({ group, resource }),
    group,
    version,
    resource,
    kindName,
    namespaced,
    state,
    shortNames: message.shortNames.filter((name) => label.test(name)).slice(0, 16),
    printerColumns: readColumns(message.printerColumnsJson),
    sinceMs: known?.state === state && known.code === code ? known.sinceMs : nowMs,
    code,
    message: state === "unavailable" ? short(message.message, 512) : undefined,
    verifiedMs: known?.verifiedMs,
  };
}

export function keyOf({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function readColumns(json: string): unknown {
  if (json === "" || json.length > 65_536 || unstorable.test(json)) return undefined;
  try {
    return readPrinterColumns(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function short(text: string, length: number): string | undefined {
  return toStorableText(text, length) || undefined;
}

const states: readonly KindState[] = ["listing", "comparing", "synced", "unavailable"];
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const subdomain = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)?$/;
const word = /^[A-Za-z0-9]{1,63}$/;
/** Escapes that `jsonb` refuses. */
const unstorable = /\\u(?:0000|[dD][89a-fA-F])/;
