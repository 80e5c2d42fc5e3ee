// A user asks for a role for a time, and another person gives it: never themselves, never for longer than asked, and
// nothing that they couldn't bind.
import type {
  AccessRequest,
  AccessRequestState,
  ApproveAccessRequest,
  CreateAccessRequest,
  DenyAccessRequest,
} from "@fairlead/contract";
import { type Clock, createId } from "@fairlead/kernel";
import { requireToGive } from "../giving/index.ts";
import { grantErrors } from "../grants/index.ts";
import type { Step } from "../ledger/index.ts";
import { isOneParty } from "../party.ts";
import type { Principal } from "../policy/index.ts";
import {
  type AccessRequestEvent,
  type AccessRequestRecord,
  accessRequestErrors,
  createAccessRequestStore,
  requestTimes,
  requirePending,
  stateAt,
  transition,
} from "../requests/index.ts";
import type { AccessRoom } from "../service.ts";

export interface AccessRequests {
  /** Throws ACCESS_REQUEST_USERS_ONLY, ROLE_UNKNOWN, ACCESS_REQUEST_TOO_MANY. */
  create(by: Principal, request: CreateAccessRequest): Promise<AccessRequest>;
  /** One's own, or everybody's for who may list or create bindings. */
  list(by: Principal, state?: AccessRequestState["kind"]): Promise<AccessRequest[]>;
  /** Each of these throws ACCESS_REQUEST_NOT_FOUND, also for somebody else's that the asker may not see. */
  get(by: Principal, id: string): Promise<AccessRequest>;
  /** Throws ACCESS_REQUEST_ENDED, ACCESS_REQUEST_OWN, ACCESS_REQUEST_TOO_LONG, and what the approver can't bind. */
  approve(by: Principal, id: string, approval: ApproveAccessRequest): Promise<AccessRequest>;
  /** Throws ACCESS_REQUEST_ENDED, ACCESS_REQUEST_OWN. */
  deny(by: Principal, id: string, denial: DenyAccessRequest): Promise<AccessRequest>;
  /** Throws ACCESS_REQUEST_ENDED. */
  cancel(by: Principal, id: string): Promise<AccessRequest>;
}

export function createAccessRequests(access: AccessRoom, clock: Clock): AccessRequests {
  const { change, grants, users, requests } = access;

  return {
    async create(by, { role, clusters, ttlMs, reason }) {
      if (by.kind !== "user") throw accessRequestErrors.ACCESS_REQUEST_USERS_ONLY();
      return await change(async ({ trx }) => {
        if (!grants.roles.has(role)) throw grantErrors.ROLE_UNKNOWN({ name: role });
        const store = createAccessRequestStore(trx);
        const createdMs = clock.now();
        if ((await store.countPending(createdMs, by.uid)) >= maxOfOne)
          throw accessRequestErrors.ACCESS_REQUEST_TOO_MANY({ max: maxOfOne, whose: "of yours" });
        if ((await store.countPending(createdMs)) >= maxOfAll)
          throw accessRequestErrors.ACCESS_REQUEST_TOO_MANY({ max: maxOfAll, whose: "of all users" });
        await store.trim(by.uid, maxEnded);
        const record: AccessRequestRecord = {
          id: createId("arq"),
          requesterUid: by.uid,
          requesterName: by.name,
          role,
          clusters,
          ttlMs,
          reason,
          createdMs,
          expiresMs: createdMs + requestTimes.waitMs,
          state: { kind: "pending" },
        };
        await store.insert(record);
        return show(record);
      });
    },

    async list(by, state) {
      const requesterUid = maySeeAll(by) ? undefined : by.uid;
      const found = await requests.list({ requesterUid, state, nowMs: clock.now(), limit: maxListed });
      return found.map(show);
    },

    get: async (by, id) => show(requireSeen(by, await requests.find(id))),

    async approve(by, id, { ttlMs: wantedMs, record, comment }) {
      const approved = await settle(by, id, async (request, step) => {
        requireOther(by, request);
        const { role, clusters, reason, requesterUid } = request;
        const ttlMs = wantedMs ?? request.ttlMs;
        if (ttlMs > request.ttlMs) throw accessRequestErrors.ACCESS_REQUEST_TOO_LONG({ maxMs: request.ttlMs });
        // By the account: the name may be somebody else's by now.
        const user = users.account(requesterUid);
        if (!user) throw accessRequestErrors.ACCESS_REQUEST_NOT_FOUND();
        const wanted = { subject: { kind: "user", name: user.name } as const, role, clusters, record, ttlMs, reason };
        const giver = { by, grants: grants.of(by), labels: access.labels };
        const binding = await grants.bind(
          { ...wanted, request: id },
          by.name,
          (given) => requireToGive(giver, { role: given, clusters, record, endMs: clock.now() + ttlMs }),
          step,
        );
        return { kind: "approve", by: by.name, binding: binding.id, endsAt: binding.endsAt ?? "", comment };
      });
      // A timer may have to wait for its end.
      access.watchForEnd();
      return approved;
    },

    deny: (by, id, { comment }) =>
      settle(by, id, async (request) => {
        requireOther(by, request);
        return { kind: "deny", by: by.name, comment };
      }),

    cancel: (by, id) =>
      settle(by, id, async (request) => {
        if (!isOwn(by, request)) throw accessRequestErrors.ACCESS_REQUEST_NOT_FOUND();
        return { kind: "cancel" };
      }),
  };

  async function settle(
    by: Principal,
    id: string,
    decide: (request: AccessRequestRecord, step: Step) => Promise<AccessRequestEvent>,
  ): Promise<AccessRequest> {
    return await change(async (step) => {
      const store = createAccessRequestStore(step.trx);
      const request = requireSeen(by, await store.find(id));
      const nowMs = clock.now();
      requirePending(request, nowMs);
      const state = transition(request, await decide(request, step), nowMs);
      if (!(await store.settle(id, state, nowMs))) throw accessRequestErrors.ACCESS_REQUEST_ENDED({ state: "ended" });
      return show({ ...request, state });
    });
  }

  function requireSeen(by: Principal, request: AccessRequestRecord | undefined): AccessRequestRecord {
    if (request && (isOwn(by, request) || maySeeAll(by))) return request;
    throw accessRequestErrors.ACCESS_REQUEST_NOT_FOUND();
  }

  /** The requester, or a robot of theirs: both would be one person alone. */
  function requireOther(by: Principal, { requesterUid }: AccessRequestRecord): void {
    if (isOneParty(access.partyOf(by), [requesterUid])) throw accessRequestErrors.ACCESS_REQUEST_OWN();
  }

  function isOwn(by: Principal, { requesterUid }: AccessRequestRecord): boolean {
    return by.kind === "user" && by.uid === requesterUid;
  }

  function maySeeAll(by: Principal): boolean {
    return ["list", "create"].some((verb) => access.may(by, { verb, resource: "bindings" }));
  }

  function show(record: AccessRequestRecord): AccessRequest {
    const { id, requesterUid, requesterName, role, clusters, ttlMs, reason, createdMs, expiresMs } = record;
    return {
      id,
      user: users.account(requesterUid)?.name ?? requesterName,
      role,
      clusters,
      ttlMs,
      reason,
      createdAt: new Date(createdMs).toISOString(),
      expiresAt: new Date(expiresMs).toISOString(),
      state: stateAt(record, clock.now()),
    };
  }
}

/** Pending requests of one user, and of all. */
const maxOfOne = 10;
const maxOfAll = 1_000;
/** Requests of one user that ended. */
const maxEnded = 100;
const maxListed = 500;
