// A hostile hub spells paths so that the policy and the API server read different things. Through the agent's proxy, a real
// API server says what it read: it refuses somebody without rights by naming the verb, the resource and the namespace.
import { loadKubeconfig, type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { sharedCluster } from "@fairlead/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judge, openPolicyRules } from "../policy/index.ts";
import { anyRequest, spelledExamples } from "./paths.fixture.ts";
import { call, openWire, type Wire } from "./wire.fixture.ts";

const undo = new AsyncDisposableStack();
let wire: Wire;
beforeAll(async () => {
  const cluster = await sharedCluster();
  wire = undo.use(await openWire({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
});
afterAll(() => undo.disposeAsync());

test("whatever way a path is spelled, the API server reads nothing that the policy didn't judge", async () => {
  const counts = { refused: 0, read: 0 };
  await fc.assert(
    fc.asyncProperty(anyRequest(), async (request) => {
      const ours = readRequestAttributes(request);
      const theirs = await askServer(request);
      if (theirs === "not sent") {
        counts.refused++;
        return;
      }
      if (ours === undefined) throw new Error("a path that can be read in two ways was sent");
      counts.read++;
      if (theirs === "open") expect(isOpenToAll(ours), JSON.stringify(ours)).toBe(true);
      else compare(ours, theirs);
    }),
    { numRuns: 600, seed: 20_260_726, examples: spelledExamples.map((path) => [{ method: "GET", path }]) },
  );
  expect(counts.refused).toBeGreaterThan(50);
  expect(counts.read).toBeGreaterThan(200);
}, 300_000);

function compare(ours: RequestAttributes, theirs: Reading): void {
  expect(ours.isResource).toBe(theirs.isResource);
  if (!theirs.isResource) return;
  const { apiGroup, resource, subresource, namespace } = ours;
  const { verb, name, ...place } = theirs;
  expect({ isResource: true, apiGroup, resource, subresource, namespace }).toEqual(place);
  // The policy counts exec, attach and port-forward as `create`, and keeps the names of methods that RBAC has no verb for.
  if (ours.verb !== verb) expect(verb === "" || (ours.verb === "create" && running.has(subresource))).toBe(true);
  // A name that only a selector says narrows what is read; not to see it narrows nothing.
  if (ours.name !== "") expect(ours.name).toBe(name);
  for (const policy of policies) {
    const [byUs, byThem] = [ours, { ...ours, ...theirs, verb: ours.verb }].map(
      (attributes) => judge(policy, { attributes, identity, ownNamespace: "fairlead" }).allowed,
    );
    expect(byUs).toBe(byThem);
  }
}

interface Reading extends Pick<RequestAttributes, "verb" | "isResource"> {
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** `open`: RBAC gives it to everybody who has signed in. */
async function askServer(request: {
  readonly method: string;
  readonly path: string;
}): Promise<Reading | "open" | "not sent"> {
  const answer = await call(wire.hub, { ...request, identity }).answer.catch((error: unknown) => error);
  // The link itself takes no path that doesn't begin with a slash, or has blanks in it.
  if (answer instanceof Error && /broke the protocol: path/.test(answer.message)) return "not sent";
  if (answer instanceof Error) throw answer;
  const { head, body } = answer as Awaited<ReturnType<typeof call>["answer"]>;
  const status = body.length > 0 && head.status === 403 ? JSON.parse(body.toString()) : undefined;
  if (head.status === 400 && body.toString().includes("PROXY_REQUEST_INVALID")) return "not sent";
  if (status === undefined) return "open";
  const message: string = status.message;
  if (/ cannot \S* ?path /.test(message))
    return { verb: "", isResource: false, apiGroup: "", resource: "", subresource: "", namespace: "", name: "" };
  const found =
    / cannot (\S*) resource "([^"/]*)(?:\/([^"]*))?" in API group "([^"]*)"(?: in the namespace "([^"]*)")?/.exec(
      message,
    );
  if (found === null) throw new Error(`the API server says something else: ${message}`);
  const [, verb = "", resource = "", subresource = "", apiGroup = "", namespace = ""] = found;
  return { verb, isResource: true, apiGroup, resource, subresource, namespace, name: status.details?.name ?? "" };
}

function isOpenToAll({ isResource, apiGroup, resource, verb }: RequestAttributes): boolean {
  if (!isResource) return verb === "get";
  return verb === "create" && /^selfsubject/.test(resource) && /^(?:authorization|authentication)\./.test(apiGroup);
}

const identity = { user: "nobody-at-all", groups: [] };
const running = new Set(["exec", "attach", "portforward"]);
const policies = [
  openPolicyRules,
  { ...openPolicyRules, readOnly: true },
  { ...openPolicyRules, denySecretReads: true },
  { ...openPolicyRules, namespaces: { allow: ["team-*"], clusterWide: false } },
  { ...openPolicyRules, namespaces: { deny: ["kube-system"], clusterWide: true } },
  { ...openPolicyRules, resources: { deny: ["core/pods/exec", "core/serviceaccounts/token", "core/nodes/proxy"] } },
  { ...openPolicyRules, resources: { allow: ["core/pods", "apps/*"] } },
  { ...openPolicyRules, verbs: { allow: ["get", "list"] } },
];
