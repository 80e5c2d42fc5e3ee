// Which TCP ports of loopback the programs of one run may connect to, beside the agent's own doors: those of hosts that the
// command names and the policy lists with their ports. All other hosts are behind the agent's proxy.
import { isLoopbackHost, type PolicyKeeper, policyDenied } from "../policy/index.ts";

export class LocalPorts {
  readonly #judgeHost: PolicyKeeper["judgeHost"];
  readonly #ports = new Set<number>();

  constructor(judgeHost: PolicyKeeper["judgeHost"]) {
    this.#judgeHost = judgeHost;
  }

  get all(): readonly number[] {
    return [...this.#ports];
  }

  /** Throws POLICY_DENIED for a place on the agent's own machine that the policy doesn't list. */
  reach(target: { readonly host: string; readonly port: number }): void {
    if (!isLoopbackHost(target.host)) return;
    const verdict = this.#judgeHost(target);
    if (!verdict.allowed) throw policyDenied(verdict);
    if (!verdict.isLocal)
      throw policyDenied({
        rule: "execute.network.hosts.allow",
        reason: `${target.host}:${target.port} is on the agent's own machine, so a list in the policy must name it with its port`,
      });
    this.#ports.add(target.port);
  }
}
