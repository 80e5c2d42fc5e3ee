// The wing of people: who they are and what they may do, and the records of what they did.

import { join } from "node:path";
import { forComponent } from "@fairlead/kernel";
import type { HubConfig } from "../platform/config/index.ts";
import type { DeclaredPart } from "../platform/declarations/index.ts";
import type { Platform } from "../platform/index.ts";
import { type Additions, readRemoteAddress } from "../platform/server/index.ts";
import {
  type AccessRoom,
  createAccessRoutes,
  createDeclaredAccess,
  type Ended,
  type OidcSettings,
  openAccess,
} from "./access/index.ts";
import { type Audit, addAuditHooks, createAuditRoutes, openAudit } from "./audit/index.ts";
import { recordHubAct } from "./record-hub-act.ts";
import { createRecordingRoutes, openRecordings, type Recordings } from "./recordings/index.ts";

export interface People extends AsyncDisposable {
  readonly access: AccessRoom;
  readonly audit: Audit;
  readonly recordings: Recordings;
  /** Declares roles, bindings and robots. */
  readonly declaredPart: DeclaredPart;
  readonly additions: Additions;
}

export async function openPeople(
  platform: Platform,
  ports: { readonly labels: Parameters<typeof openAccess>[0]["labels"] },
): Promise<People> {
  const { config, clock, log, store, dataDir, urls, hubInstanceId, isShared, bus, leases } = platform;
  const inDataDir = (name: string): string | undefined => (dataDir === undefined ? undefined : join(dataDir, name));
  await using undo = new AsyncDisposableStack();
  const audit = undo.use(
    await openAudit({
      db: store.db,
      queries: store.queries,
      log: forComponent(log, "hub/audit"),
      clock,
      // Where nothing is kept the log is all that lasts.
      logFile: config.auditLog ?? (platform.declarations?.guard.keepsNothing ? "-" : undefined),
      retentionMs: config.auditRetentionMs,
      isRequired: config.auditRequired,
      isShared,
      chainFile: inDataDir("audit-chain"),
      hubInstanceId,
      bus,
      leases,
      journalFile: inDataDir("audit-journal.jsonl"),
      handOverFolder: inDataDir("audit-left"),
    }),
  );
  const recordings = undo.use(
    await openRecordings({
      db: store.db,
      queries: store.queries,
      log: forComponent(log, "hub/recordings"),
      clock,
      folder: inDataDir("recordings"),
      maxBytes: config.recordingMaxBytes,
      retentionMs: config.recordingRetentionMs,
      withInput: config.recordingInput,
      isShared,
    }),
  );
  const onEnded = ({ kind, id, what }: Ended): Promise<void> =>
    recordHubAct(audit, {
      verb: "expire",
      resource: kind === "binding" ? "bindings" : "access",
      name: id,
      by: "hub",
      at: clock.now(),
      reason: what,
    });
  const access = undo.use(
    await openAccess({
      db: store.db,
      queries: store.queries,
      changes: platform.changes,
      clock,
      labels: ports.labels,
      groupPrefix: config.groupPrefix,
      onError: (error) => log.error({ err: error }, "background work failed"),
      hasOthers: isShared,
      usernamePrefix: config.usernamePrefix,
      absentGroupsMaxAgeMs: config.absentGroupsMaxAgeMs,
      declared: platform.declarations?.guard,
      firstTokenFile: config.adminTokenOut,
      firstTokenEndsFor: config.firstAdminTokenEnds ? config.oidcIssuer : undefined,
      onAdminToken: ({ kind, id, by }) =>
        recordHubAct(audit, {
          verb: kind === "made" ? "create" : "delete",
          resource: "admin-tokens",
          name: id,
          by,
          at: clock.now(),
        }),
      onEnded,
      times: { accessTtlMs: config.accessTokenTtlMs, maxMs: config.sessionMaxMs },
    }),
  );
  if (access.isFirstTokenElsewhere) log.info("another hub on this database has shown the first admin's token");
  const routes = createAccessRoutes({
    access,
    db: store.db,
    clock,
    oidc: readOidc(config),
    hubUrl: () => urls.people,
    readRemoteAddress,
    onRefused: ({ code, message }) => log.warn({ code }, message),
  });
  const owned = undo.move();
  return {
    access,
    audit,
    recordings,
    declaredPart: createDeclaredAccess({ access, clock, onEnded }),
    additions: {
      addHooks: (app) => addAuditHooks(app, { audit, readRemoteAddress }),
      openRoutes: [routes.open],
      signedInRoutes: [
        routes.signedIn,
        createAuditRoutes({ audit, access }),
        createRecordingRoutes({ recordings, access }),
      ],
      metrics: { audit: () => audit.counters, limits: platform.limits, recordings },
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function readOidc(config: HubConfig): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecretFile: config.oidcClientSecretFile,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    usernameClaim: config.oidcUsernameClaim,
    allowedGroups: config.oidcAllowedGroups,
    caFile: config.oidcCaFile,
    assumesEmailVerified: config.oidcAssumeEmailVerified,
  };
}
