// A connection to what a program wants to reach, through the agent's own proxy where it has one. The name is resolved
// once: the addresses that were judged are those that are dialled.
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { isFairleadError, onAbort, orAbort } from "@fairlead/kernel";
import { chooseProxy, openTunnel } from "../../dial/index.ts";
import { egressErrors } from "./errors.ts";
import { type JudgedAddress, judgeAddress } from "./judge-address.ts";
import type { Target } from "./read-target.ts";

export interface OnwardMeans extends Pick<JudgedAddress, "ownAddresses" | "ownPorts"> {
  /** All addresses of a name; rejects when there are none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** The agent's own HTTPS_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Certificates by which a proxy of the agent may be known, besides the usual ones. */
  readonly proxyCa: readonly string[];
}

/** Throws EGRESS_ADDRESS_REFUSED and EGRESS_UNREACHABLE, or the signal's reason. */
export async function openOnward(
  options: OnwardMeans & { readonly target: Target; readonly isLocal: boolean; readonly signal: AbortSignal },
): Promise<Socket> {
  const { target, environment, proxyCa, signal } = options;
  const { host, port, name } = target;
  const hub = new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  try {
    const proxy = chooseProxy({ hub, env: environment });
    const addresses = await findAddresses({ ...options, mayBeUnknown: proxy !== undefined });
    if (proxy !== undefined) return await openTunnel({ proxy, host, port, extraCa: proxyCa, signal });
    return await dial({ addresses, host, port, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isFairleadError(error) && egressErrors.is(error, "EGRESS_ADDRESS_REFUSED")) throw error;
    throw egressErrors.EGRESS_UNREACHABLE({ host: name, reason: reasonOf(error), cause: error });
  }
}

/** A proxy resolves names by itself, and may know some that nobody knows here. */
async function findAddresses(
  options: Parameters<typeof openOnward>[0] & { readonly mayBeUnknown: boolean },
): Promise<readonly string[]> {
  const { target, isLocal, resolve, ownAddresses, ownPorts, mayBeUnknown, signal } = options;
  const { host, port, name } = target;
  const finding = isIP(host) === 0 ? orAbort(resolve(host), signal) : Promise.resolve([host]);
  const addresses = await finding.catch((error: unknown) => {
    signal.throwIfAborted();
    if (mayBeUnknown) return [];
    throw error;
  });
  // One that is refused spoils the name: which of them a program means is up to whoever answers for it.
  for (const address of addresses) {
    const reason = judgeAddress({ address, port, isLocal, ownAddresses, ownPorts });
    if (reason !== undefined) throw egressErrors.EGRESS_ADDRESS_REFUSED({ host: name, reason });
  }
  if (addresses.length === 0 && !mayBeUnknown) throw new Error("its name has no address");
  return addresses;
}

function dial(options: {
  readonly addresses: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}): Promise<Socket> {
  const { addresses, host, port, signal } = options;
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, { all = false }, callback) => {
    const [first] = known;
    if (all) callback(null, known);
    else callback(null, first?.address ?? "", first?.family);
  };
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup,
      allowHalfOpen: true,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 5_000,
    });
    const aborting = onAbort(signal, (reason) => {
      socket.destroy();
      reject(reason);
    });
    const settle = (act: () => void): void => {
      aborting[Symbol.dispose]();
      act();
    };
    socket.once("connect", () => settle(() => resolve(socket)));
    socket.on("error", (error) => settle(() => reject(error)));
  });
}

function reasonOf(error: unknown): string {
  if (isFairleadError(error)) return error.message;
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code) : error.message;
}
