// Requests straight to the API server in the name of the user whom the hub lets in, as an agent sends them.
import type { TestCluster } from "@fairlead/testkit";
import { Pool } from "undici";
import type { Route } from "./load.ts";

/** `direct`, with the agent's own credential and its `Impersonate-*` lines for the user of `viaHub`. */
export async function impersonate(options: { cluster: TestCluster; direct: Route; viaHub: Route }): Promise<Route> {
  const { cluster, direct, viaHub } = options;
  const { username, uid, groups } = await askWhoIsThere(viaHub);
  const token = await cluster.serviceAccountToken({ namespace: "fairlead", name: "fairlead-agent" });
  return {
    ...direct,
    name: "impersonating",
    authorization: `Bearer ${token}`,
    lines: [
      "Impersonate-User",
      username,
      "Impersonate-Uid",
      uid,
      ...groups.filter((group) => !addedByTheServer.has(group)).flatMap((group) => ["Impersonate-Group", group]),
    ],
  };
}

interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

async function askWhoIsThere({ origin, pathPrefix, ca, authorization }: Route): Promise<UserInfo> {
  const pool = new Pool(origin, { connections: 1, connect: { ca } });
  const { statusCode, body } = await pool.request({
    method: "POST",
    path: `${pathPrefix}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  const text = await body.text();
  await pool.close();
  if (statusCode !== 201) throw new Error(`the API server was asked who is there and answered ${statusCode}: ${text}`);
  return (JSON.parse(text) as { status: { userInfo: UserInfo } }).status.userInfo;
}

const addedByTheServer: ReadonlySet<string> = new Set(["system:authenticated"]);
