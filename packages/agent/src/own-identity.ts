// Gives the agent its identity: a certificate that it enrolls for, keeps and renews, or the word of its mesh.
import type { Clock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { capabilities } from "@fairlead/protocol";
import { describeCertificate } from "@fairlead/protocol/x509";
import type { Logger } from "pino";
import { chooseStorage } from "./choose-storage.ts";
import type { AgentConfig } from "./config/index.ts";
import type { Route } from "./dial/index.ts";
import {
  createIdentityKeeper,
  createMeshKeeper,
  createTokenSource,
  keepRenewed,
  keepRoles,
  type LinkIdentityKeeper,
  type RenewSoon,
} from "./identity/index.ts";
import { confirmCertificate, type LinkKeeper, renewCertificate, type WelcomedLink } from "./link/index.ts";
import { agentVersion } from "./version.ts";

export interface OwnIdentity {
  readonly keeper: LinkIdentityKeeper;
  /** The hub has said of which cluster the agent is. */
  learn(cluster: string): void;
  /** Milliseconds since the epoch; undefined without a certificate. */
  certificateExpiresAtMs(): number | undefined;
  /** Renews what can be renewed over the links, until the signal aborts. */
  keep(options: {
    readonly links: LinkKeeper;
    readonly welcomed: () => WelcomedLink | undefined;
    readonly renewSoon: RenewSoon;
    readonly hubNowMs: () => number;
    readonly signal: AbortSignal;
  }): void;
}

export function createOwnIdentity(options: {
  readonly config: AgentConfig;
  readonly route: Route;
  readonly client: KubeClient;
  /** Told by which keys the hub signs commands, with each renewal. */
  readonly onCommandKeys: (jwks: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Logger;
}): OwnIdentity {
  switch (options.config.identity) {
    case "certificate":
      return createCertified(options);
    case "mesh": {
      const keeper = createMeshKeeper({ roles: options.config.roles });
      return { keeper, learn: keeper.learn, certificateExpiresAtMs: () => undefined, keep: () => undefined };
    }
  }
}

function createCertified(options: Parameters<typeof createOwnIdentity>[0]): OwnIdentity {
  const { config, route, client, onCommandKeys, clock, log } = options;
  const { roles, token, tokenFile: path } = config;
  const keeper = createIdentityKeeper({
    route,
    roles,
    agentVersion,
    log,
    storage: chooseStorage(config, client),
    token: createTokenSource({ token, path }),
  });
  return {
    keeper,
    // Its certificate says it.
    learn: () => undefined,
    certificateExpiresAtMs() {
      const pem = keeper.current?.certificateChainPem;
      return pem === undefined ? undefined : describeCertificate(pem).notAfter;
    },
    keep({ links, welcomed, renewSoon, hubNowMs, signal }) {
      keepRenewed({
        keeper,
        hubNowMs,
        clock,
        log,
        signal,
        renewSoon,
        issuer: () => {
          const link = links.current;
          if (!link) return undefined;
          return async (csrDer) => {
            const { commandKeys, ...renewed } = await renewCertificate({ link, csrDer });
            onCommandKeys(commandKeys);
            return renewed;
          };
        },
        confirmer: () => {
          const { link, capabilities: hub = [] } = welcomed() ?? {};
          if (!link || !hub.includes(capabilities.renewalConfirmations)) return undefined;
          return (serial) => confirmCertificate({ link, serial });
        },
      }).catch((error: unknown) => log.error({ err: error }, "renewing stopped"));
      keepRoles({ keeper, clock, signal, onWidened: links.moveOn }).catch((error: unknown) =>
        log.error({ err: error }, "looking for more roles stopped"),
      );
    },
  };
}
