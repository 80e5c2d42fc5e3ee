// Every operation of the API, asked by people of every kind, on a whole hub: who gets through the door, and who doesn't.
import { operations } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

type Caller = "viewer" | "operator" | "robot" | "nobody-yet" | "admin";

/**
 * The callers of routes for people who have signed in. `robot` is an admin whose token is only for the cluster east and
 * only for reading; `nobody-yet` has signed in and has no role. Routes that aren't in here are for anyone who has
 * signed in.
 */
const guarded: Readonly<Record<string, readonly Caller[]>> = {
  getCluster: ["viewer", "operator", "robot", "admin"],
  createCluster: ["admin"],
  updateCluster: ["admin"],
  createJoinToken: ["admin"],
  revokeCluster: ["admin"],
  seeClusterAlarm: ["admin"],
  removeCluster: ["admin"],
  listRobots: ["admin"],
  createRobot: ["admin"],
  getRobot: ["admin"],
  removeRobot: ["admin"],
  createRobotToken: ["admin"],
  revokeRobotToken: ["admin"],
  listUsers: ["admin"],
  removeUser: ["admin"],
  signOutUser: ["admin"],
  listRoles: ["operator", "admin"],
  putRole: ["admin"],
  removeRole: ["admin"],
  listBindings: ["admin"],
  createBinding: ["admin"],
  removeBinding: ["admin"],
  explainAccess: ["admin"],
  whoCan: ["admin"],
  approveAccessRequest: ["admin"],
  denyAccessRequest: ["admin"],
  listAudit: ["admin"],
  streamAudit: ["admin"],
  verifyAudit: ["admin"],
  listRecordings: ["admin"],
  readRecording: ["admin"],
  getCa: ["admin"],
  rotateCa: ["admin"],
  retireCa: ["admin"],
  listHubs: ["operator", "admin"],
  listDeclarations: ["admin"],
  getInventory: ["viewer", "operator", "robot", "admin"],
  confirmCluster: ["admin"],
  getGitopsSettings: ["viewer", "operator", "robot", "admin"],
  putGitopsSettings: ["admin"],
  getGitopsStatus: ["robot", "admin"],
  confirmDeletions: ["admin"],
  countLeavingApplications: ["robot", "admin"],
  letApplicationsGo: ["admin"],
  listArgoObjects: ["admin"],
  getArgoObject: ["admin"],
  putArgoObject: ["admin"],
  removeArgoObject: ["admin"],
  getApplication: ["robot", "admin"],
  putApplication: ["admin"],
  removeApplication: ["admin"],
  syncApplication: ["admin"],
  refreshApplication: ["admin"],
  terminateApplication: ["admin"],
  rollbackApplication: ["admin"],
  getApplicationHistory: ["robot", "admin"],
  createCommand: ["admin"],
  createRollout: ["admin"],
  putSchedule: ["admin"],
  putTemplate: ["admin"],
  putProfile: ["admin"],
  removeProfile: ["admin"],
  getProfileChoice: ["viewer", "operator", "robot", "admin"],
  putProfileChoice: ["admin"],
  createStackRun: ["admin"],
  listCommandKeys: ["admin"],
  rotateCommandKeys: ["admin"],
};

/** Every one of these answers with what is one's own, or what one may see, or says that there is none. */
const forAll = [
  "whoami",
  "listClusters",
  "createSession",
  "endCurrentSession",
  "listSessions",
  "endSession",
  "listAccessRequests",
  "getAccessRequest",
  "cancelAccessRequest",
  "listObjects",
  "getObject",
  "getNamedObject",
  "listKinds",
  "countObjects",
  "listChanges",
  "listInventories",
  "listFitness",
  "listCommands",
  "getCommand",
  "cancelCommand",
  "retryCommand",
  "readCommandLog",
  "approveCommand",
  "approvePlanning",
  "rejectCommand",
  "listApplications",
  "listGitopsStatus",
  "listStacks",
  "getStack",
  "listStackRuns",
  "getStackRun",
  "cancelStackRun",
  "previewRollout",
  "listRollouts",
  "getRollout",
  "listRolloutClusters",
  "pauseRollout",
  "resumeRollout",
  "cancelRollout",
  "retryRollout",
  "listTemplates",
  "getTemplate",
  "renderTemplate",
  "removeTemplate",
  "listProfiles",
  "getProfile",
  "listProfileChoices",
  "listSchedules",
  "getSchedule",
  "pauseSchedule",
  "resumeSchedule",
  "removeSchedule",
];

/** Robots, who stand for people here, are refused; `requests/` has tests with users. */
const forUsers = ["createAccessRequest"];

const bodies: Readonly<Record<string, object>> = {
  createCluster: { name: "new" },
  updateCluster: {},
  createRobot: { name: "new" },
  createRobotToken: { ttlMs: 60_000 },
  putRole: {},
  createBinding: { subject: { kind: "user", name: "x" }, role: "viewer", clusters: { all: true } },
  createAccessRequest: { role: "viewer", clusters: { all: true }, ttlMs: 60_000, reason: "x" },
  explainAccess: { subject: { kind: "user", name: "x" }, verb: "get", resource: "pods", cluster: "east" },
  whoCan: { verb: "get", resource: "pods", cluster: "east" },
  seeClusterAlarm: { count: 1 },
  confirmCluster: { kubeSystemUid: "another" },
  putGitopsSettings: { mode: "managed" },
  confirmDeletions: { count: 1, digest: "none" },
  putApplication: { spec: {} },
  putArgoObject: { spec: {} },
  rollbackApplication: { id: 1 },
  createCommand: { cluster: "east", kind: "manifests", spec: { set: "web", manifests: "" } },
  approveCommand: { digest: "a".repeat(64) },
  createStackRun: { action: "destroy" },
  createRollout: { clusters: ["east"], kind: "manifests", spec: { set: "web", manifests: "" } },
  putSchedule: {
    cron: "0 0 1 1 *",
    timeZone: "UTC",
    request: { clusters: ["east"], kind: "manifests", spec: { set: "web", manifests: "" } },
  },
  putTemplate: { kind: "manifests", clusters: { all: true }, spec: { set: "web", objects: [] } },
  putProfile: { content: "name: own\nextends: fairlead" },
  putProfileChoice: { profile: "truefoundry" },
  previewRollout: { clusters: ["east"], kind: "manifests", spec: { set: "web", manifests: "" } },
};

let harness: TestHub;
const tokens = new Map<Caller, string>();
beforeAll(async () => {
  harness = await openTestHub();
  tokens.set("admin", harness.admin.authorization);
  for (const name of ["east", "west"]) await asAdmin("POST", "/api/v1/clusters", { name });
  // Robots stand for people here: what matters is the role.
  for (const name of ["viewer", "operator"] as const) await makeCaller(name, name, { names: ["east"] });
  await asAdmin("POST", "/api/v1/bindings", bindingOf("operator", "operator", { all: true }));
  await makeCaller("robot", "admin", { all: true }, { clusters: ["east"], verbs: ["get", "list"] });
  await makeCaller("nobody-yet");
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

describe("every operation that needs a sign-in", () => {
  const signedIn = operations.filter(({ needsToken }) => needsToken);

  it("is in the table above", () => {
    const named = [...Object.keys(guarded), ...forAll, ...forUsers].sort();
    expect(named).toEqual(signedIn.map(({ id }) => id).sort());
  });

  it.each(signedIn.map(({ id }) => id))(
    "%s is refused without a token, with a wrong one and with a refresh token",
    async (id) => {
      for (const authorization of [undefined, "Bearer fls_0123456789", `Bearer flr_${"0".repeat(52)}`, "Basic eDp5"]) {
        const { status } = await ask(id, authorization);
        expect(status, String(authorization)).toBe(401);
      }
    },
  );

  it.each(Object.keys(guarded))("%s is open to those it is for and to nobody else", async (id) => {
    for (const caller of ["viewer", "operator", "robot", "nobody-yet"] as const) {
      const { status, json } = await ask(id, tokens.get(caller));
      const code = (json as { code?: string } | undefined)?.code;
      if (guarded[id]?.includes(caller)) expect([status, code], caller).not.toContain(403);
      else expect([status, code], caller).toEqual([403, "ACCESS_DENIED"]);
    }
  });

  it.each(forAll)("%s answers everyone with what is theirs", async (id) => {
    for (const caller of ["viewer", "operator", "nobody-yet"] as const) {
      const { status, json } = await ask(id, tokens.get(caller));
      const code = (json as { code?: string } | undefined)?.code;
      // Objects are those of clusters: without any, the answer says so rather than that there are none.
      if (caller === "nobody-yet" && code === "OBJECTS_NO_CLUSTER_VISIBLE") continue;
      // No agent has reported any object here.
      if (id === "listChanges" && code === "OBJECTS_NOT_OBSERVED") continue;
      expect([200, 201, 204, 404], `${caller}: ${code}`).toContain(status);
    }
  });
});

it.each(forUsers)("%s is for users alone", async (id) => {
  for (const caller of ["viewer", "robot", "admin"] as const) {
    const { status, json } = await ask(id, tokens.get(caller));
    expect([status, (json as { code: string }).code]).toEqual([403, "ACCESS_REQUEST_USERS_ONLY"]);
  }
});

describe("the list of clusters", () => {
  it.each([
    ["viewer", ["east"]],
    ["operator", ["east", "west"]],
    ["robot", ["east"]],
    ["nobody-yet", []],
    ["admin", ["east", "west"]],
  ] as const)("shows %s %j", async (caller, expected) => {
    const { json } = await ask("listClusters", tokens.get(caller));
    const names = (json as { items: { name: string }[] }).items.map(({ name }) => name);
    expect(names).toEqual(expected);
  });

  it("doesn't tell whether a cluster is there that one may not see", async () => {
    const authorization = tokens.get("viewer");
    const known = await call(harness.hub.peopleUrl, "/api/v1/clusters/west", { headers: { authorization } });
    const unknown = await call(harness.hub.peopleUrl, "/api/v1/clusters/none", { headers: { authorization } });
    expect([known.status, unknown.status]).toEqual([403, 403]);
  });
});

describe("the metrics", () => {
  it.each([
    ["viewer", 403],
    ["nobody-yet", 403],
    ["robot", 403],
    ["operator", 200],
    ["admin", 200],
  ] as const)("answer %s with %i", async (caller, status) => {
    const headers = { authorization: tokens.get(caller) };
    expect((await call(harness.hub.peopleUrl, "/metrics", { headers })).status).toBe(status);
  });
});

describe("operations that need no sign-in", () => {
  it("are the few that lead to one", () => {
    const open = operations.filter(({ needsToken }) => !needsToken).map(({ id }) => id);
    expect(open.sort()).toEqual(
      ["authMethods", "exchangeOidcCode", "finishOidc", "pollDevice", "refreshSession", "startDevice", "startOidc"]
        .concat("endSessionsByProvider", "version")
        .sort(),
    );
  });
});

async function ask(id: string, authorization: string | undefined): Promise<TestAnswer> {
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  const { method, path } = operation;
  const isCluster = path.startsWith("/api/v1/clusters");
  // Nothing that could be done by mistake is there to be done to, but for the cluster that the callers may see.
  const url = path
    .replace("/argo/{kind}", "/argo/projects")
    .replace("{name}", isCluster && method === "GET" ? "east" : "none")
    .replaceAll(/\{\w+\}/g, "none");
  const body = bodies[id];
  const text = body && JSON.stringify(body);
  return await call(harness.hub.peopleUrl, url, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
}

async function makeCaller(name: Caller, role?: string, clusters?: object, scope?: object): Promise<void> {
  await asAdmin("POST", "/api/v1/robots", { name });
  if (role !== undefined) await asAdmin("POST", "/api/v1/bindings", bindingOf(name, role, clusters));
  const made = await asAdmin("POST", `/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000, ...(scope && { scope }) });
  tokens.set(name, `Bearer ${(made as { token: string }).token}`);
}

function bindingOf(name: string, role: string, clusters: object | undefined): object {
  return { subject: { kind: "robot", name }, role, clusters };
}

async function asAdmin(method: string, path: string, body: object): Promise<unknown> {
  const headers = { ...harness.admin, "content-type": "application/json" };
  const answer = await call(harness.hub.peopleUrl, path, { method, headers, body: JSON.stringify(body) });
  if ((answer.status ?? 500) > 299) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json;
}
