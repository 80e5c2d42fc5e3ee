import { Backoff, type FairleadError } from "@fairlead/kernel";
import { kubeErrors, retryAfterMs } from "../errors/index.ts";

/** How long to wait after each failure, and what may be gone on with. */
export class ReflectorRetry {
  readonly #random: () => number;
  readonly #passing: Backoff;
  /** Asking someone who isn't there costs nobody anything. */
  readonly #away: Backoff;
  #refusals = 0;

  constructor(random: () => number) {
    this.#random = random;
    this.#passing = new Backoff({ baseMs: 800, maxMs: 30_000, random });
    this.#away = new Backoff({ baseMs: 800, maxMs: 10_000, random });
  }

  /** After a success. */
  reset(): void {
    this.#passing.reset();
    this.#away.reset();
    this.#refusals = 0;
  }

  nextMs(error: FairleadError): number {
    if (isRefusal(error)) {
      const mostMs = Math.min(maxRefusalMs, firstRefusalMs * 2 ** this.#refusals++);
      return Math.floor(mostMs * (0.5 + this.#random() / 2));
    }
    if (kubeErrors.is(error, "KUBE_UNREACHABLE")) return this.#away.nextMs();
    return Math.max(this.#passing.nextMs(), retryAfterMs(error));
  }
}

/**
 * Lasts until someone changes RBAC or installs an API, so it is asked for ever more seldom; at first soon, because an API
 * server that starts says the same.
 */
function isRefusal(error: FairleadError): boolean {
  return kubeErrors.is(error, "KUBE_FORBIDDEN", "KUBE_NOT_FOUND") || error.httpStatus === 405;
}

const firstRefusalMs = 1_000;
const maxRefusalMs = 300_000;
