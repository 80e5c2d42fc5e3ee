// Passes streams that another hub opens on to the agents whose links this hub holds: one hop, never a second. A
// stream's credit goes back to its sender only when the next hop has taken the bytes, so that nothing gathers here. The
// hub that the person spoke to has settled what the request is, who may make it and what is recorded of it.
import { type FairleadError, isFairleadError } from "@fairlead/kernel";
import {
  type LinkStream,
  type OpenHead,
  type RawHeaders,
  type ResetCode,
  ResourceTreeService,
  type ResponseHead,
  type Role,
  resetCodes,
  resetTextOf,
  type StreamAcceptor,
  type StreamHandlers,
  unheard,
} from "@fairlead/protocol";
import type { LinkRegistry } from "../links/index.ts";

export interface RelayCounters {
  active: number;
  total: number;
}

export function createRelay(options: {
  readonly registry: Pick<LinkRegistry, "own">;
  readonly counters: RelayCounters;
}): StreamAcceptor {
  const { registry, counters } = options;
  return (near) => {
    const { cluster, ...open } = near.open;
    const role = roleFor(open);
    if (role === undefined || cluster === undefined) {
      near.reset(resetCodes.unknownTarget, "Hubs pass on requests to clusters, and nothing else.");
      return unheard(near);
    }
    const back = new Passage(counters);
    const forth = new Passage(counters);
    for (const { link, roles, refusal, isDraining } of registry.own(cluster)) {
      if (refusal || isDraining || link.state !== "up" || !roles.includes(role)) continue;
      try {
        const far = link.openStream(open, back);
        forth.connect({ from: near, to: far, opposite: back });
        back.connect({ from: far, to: near, opposite: forth });
      } catch (error) {
        if (!isFairleadError(error) || !error.retryable) throw error;
        continue;
      }
      counters.active += 1;
      counters.total += 1;
      return forth;
    }
    // The other hub looks again where the link is.
    near.reset(resetCodes.goingAway, "This hub has no link to the cluster.");
    return unheard(near);
  };
}

/** Passes one direction on: hears `from`, and writes to `to`. */
class Passage implements StreamHandlers {
  readonly #counters: RelayCounters;
  #from!: LinkStream;
  #to!: LinkStream;
  #opposite!: Passage;
  /** Written and not yet taken by the next hop's credit. */
  #heldBytes = 0;
  #isOver = false;

  constructor(counters: RelayCounters) {
    this.#counters = counters;
  }

  connect({ from, to, opposite }: { from: LinkStream; to: LinkStream; opposite: Passage }): void {
    this.#from = from;
    this.#to = to;
    this.#opposite = opposite;
  }

  onHead(head: ResponseHead): void {
    this.#to.respond(head);
  }

  onData(chunk: Uint8Array): void {
    if (this.#to.write(chunk)) this.#from.consumed(chunk.byteLength);
    else this.#heldBytes += chunk.byteLength;
  }

  /** The stream that this direction hears of takes more: the other direction writes to it. */
  onWritable(): void {
    this.#opposite.#giveBack();
  }

  onEnd(trailers: RawHeaders): void {
    this.#to.end(trailers);
    this.#isOver = true;
    if (this.#opposite.#isOver) this.#counters.active -= 1;
  }

  onReset(error: FairleadError, code: ResetCode): void {
    this.#counters.active -= 1;
    this.#to.reset(code, resetTextOf(error));
  }

  #giveBack(): void {
    const heldBytes = this.#heldBytes;
    this.#heldBytes = 0;
    if (heldBytes > 0) this.#from.consumed(heldBytes);
  }
}

/** The agents that a stream may be for. Hubs pass on no typed calls but those for resource trees. */
function roleFor({ target, path }: Pick<OpenHead, "target" | "path">): Role | undefined {
  if (target === "kubernetes") return "proxy";
  return target === "rpc" && path.startsWith(`/${ResourceTreeService.typeName}/`) ? "gitops" : undefined;
}
