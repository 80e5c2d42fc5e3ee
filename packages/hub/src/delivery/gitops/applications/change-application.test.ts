import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { withRollback, withSync } from "./change-application.ts";

const by = { person: "ann", at: new Date("2030-01-01T00:00:00Z") };

test("a sync and a rollback have the options that the application syncs with, as Argo CD's own API gives them", () => {
  const syncOptions = ["CreateNamespace=true", "ServerSideApply=true"];
  const shop = application({ syncPolicy: { syncOptions } });
  expect(withSync(shop, {}, by)).toMatchObject({ operation: { sync: { syncOptions, syncStrategy: { hook: {} } } } });
  expect(withRollback(shop, { id: 4 }, by)).toMatchObject({ operation: { sync: { syncOptions, revision: "abc" } } });
});

test("an application without options, or with an empty policy, is synced without", () => {
  for (const spec of [{}, { syncPolicy: null }, { syncPolicy: {} }])
    expect(withSync(application(spec), {}, by)["operation"]).toMatchObject({ sync: { syncStrategy: { hook: {} } } });
  expect(withSync(application({}), {}, by)).not.toHaveProperty("operation.sync.syncOptions");
});

function application(spec: object): GitopsObject {
  const metadata = { name: "shop", namespace: "east" };
  return { metadata, spec, status: { history: [{ id: 4, revision: "abc" }] } } as unknown as GitopsObject;
}
