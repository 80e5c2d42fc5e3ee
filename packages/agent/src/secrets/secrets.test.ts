import type { KubeClient } from "@fairlead/kube";
import { kubeErrors } from "@fairlead/kube";
import { expect, test } from "vitest";
import { policyDenied } from "../policy/index.ts";
import { readReferences } from "./references.ts";
import { createSecretResolver } from "./resolve.ts";

const reference = { kind: "secret", namespace: "team", name: "db.creds", key: "pass_word" };

test.each([
  ["plain ${HOME} $(x) $1", ["plain ${HOME} $(x) $1"]],
  ["${secret:team/db.creds/pass_word}", [reference]],
  ["a${secret:team/db.creds/pass_word}b", ["a", reference, "b"]],
  ["${configmap:team/db.creds/pass_word}", [{ ...reference, kind: "configmap" }]],
  ["$${secret:team/x/y} $${configmap:", ["${secret:", "team/x/y} ", "${configmap:"]],
  ["$$${secret:a/b/c}", ["$", "${secret:", "a/b/c}"]],
  ["", []],
])("%j is read", (text, parts) => {
  expect(readReferences(text)).toEqual(parts);
});

test.each([
  "${secret:team/name}",
  "${secret:team/name/key",
  "${secret:team/name/key/more}",
  "${secret:Team/name/key}",
  "${secret:../name/key}",
  "${secret:team/na%2fme/key}",
  "${secret:team/name/..}",
  "${secret:team/name/${secret:a/b/c}}",
  "${secret:}",
])("%j is refused, and what is in it isn't repeated", (text) => {
  const thrown = catchFrom(() => readReferences(text));
  expect(thrown).toMatchObject({ code: "SECRET_REFERENCE_INVALID" });
  expect(JSON.stringify(thrown)).not.toContain("name");
});

test("references are replaced by what is in the cluster, objects are read once, and values of Secrets are concealed", async () => {
  const { resolver, paths, concealed } = resolverOver({
    "/api/v1/namespaces/team/secrets/db": {
      kind: "Secret",
      data: { user: base64("ann"), pass: base64("s3cret ${secret:team/db/user}") },
    },
    "/api/v1/namespaces/team/configmaps/db": { kind: "ConfigMap", data: { host: "db.local" } },
  });
  const text = "${secret:team/db/user}:${secret:team/db/pass}@${configmap:team/db/host} $${secret:x";
  await expect(resolver.resolve(text)).resolves.toBe("ann:s3cret ${secret:team/db/user}@db.local ${secret:x");
  expect(paths).toEqual(["/api/v1/namespaces/team/secrets/db", "/api/v1/namespaces/team/configmaps/db"]);
  expect(concealed).toEqual(["ann", "s3cret ${secret:team/db/user}"]);
});

test.each([
  ["${secret:team/gone/key}", "SECRET_REFERENCE_MISSING"],
  ["${secret:team/db/gone}", "SECRET_REFERENCE_MISSING"],
  ["${secret:team/db/__proto__}", "SECRET_REFERENCE_MISSING"],
  ["${secret:team/db/bytes}", "SECRET_REFERENCE_NOT_TEXT"],
  ["${secret:team/forbidden/key}", "SECRET_REFERENCE_FORBIDDEN"],
  ["${secret:kube-system/x/key}", "SECRET_REFERENCE_FORBIDDEN"],
  ["${secret:team/slow/key}", "SECRET_REFERENCE_UNREADABLE"],
])("scenario 23: %s ends in %s", async (text, code) => {
  const { resolver } = resolverOver({
    "/api/v1/namespaces/team/secrets/db": { kind: "Secret", data: { bytes: "/w==" } },
    "/api/v1/namespaces/team/secrets/forbidden": kubeErrors.KUBE_FORBIDDEN({ message: "no" }),
    "/api/v1/namespaces/team/secrets/slow": kubeErrors.KUBE_TIMEOUT({ server: "s", timeoutMs: 1 }),
    "/api/v1/namespaces/kube-system/secrets/x": policyDenied({ rule: "execute.namespaces.allow", reason: "closed" }),
  });
  await expect(resolver.resolve(text)).rejects.toMatchObject({ code });
});

function resolverOver(answers: Readonly<Record<string, unknown>>): {
  resolver: ReturnType<typeof createSecretResolver>;
  paths: string[];
  concealed: string[];
} {
  const paths: string[] = [];
  const concealed: string[] = [];
  const kube = {
    async request({ path }: { path: string }) {
      paths.push(path);
      const answer = answers[path] ?? kubeErrors.KUBE_NOT_FOUND({ message: "not found" });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as Pick<KubeClient, "request">;
  const conceal = (value: string): void => void concealed.push(value);
  const resolver = createSecretResolver({ kube, conceal, signal: new AbortController().signal });
  return { resolver, paths, concealed };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function catchFrom(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
