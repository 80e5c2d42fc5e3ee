import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accessPaths } from "./access/index.ts";
import { auditPaths } from "./audit/index.ts";
import { caPaths } from "./ca.ts";
import { commandPaths } from "./commands/index.ts";
import { declarationPaths } from "./declarations.ts";
import { fitnessPaths } from "./fitness/index.ts";
import { gitopsPaths } from "./gitops/index.ts";
import { hubPaths } from "./hubs.ts";
import { inventoryPaths } from "./inventory/index.ts";
import { createOpenApi } from "./openapi.ts";
import { operations } from "./operations.ts";
import { paths } from "./paths.ts";
import { profilePaths } from "./profiles/index.ts";
import { rolloutPaths } from "./rollouts/index.ts";
import { schedulePaths } from "./schedules/index.ts";
import { stackPaths } from "./stacks/index.ts";
import { templatePaths } from "./templates/index.ts";

test("the committed OpenAPI document is the one that the schemas make", () => {
  const committed = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

  expect(committed, "regenerate with scripts/write-openapi.ts").toEqual(createOpenApi());
});

test("every reference in the document leads to a schema in it", () => {
  const document = createOpenApi() as { components: { schemas: Record<string, unknown> } };
  const referred = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "");

  expect(referred.length).toBeGreaterThan(10);
  for (const reference of referred) {
    expect(document.components.schemas).toHaveProperty(reference.replace("#/components/schemas/", ""));
  }
});

test("the operations are at the paths that the client calls", () => {
  const described = new Set(operations.map((operation) => operation.path));
  const called = [paths.version, paths.whoami, paths.clusters].concat(
    [
      ...Object.values(caPaths),
      ...Object.values(hubPaths),
      ...Object.values(declarationPaths),
      paths.cluster("NAME"),
      paths.clusterTokens("NAME"),
      paths.clusterRevoke("NAME"),
      paths.clusterAlarmSeen("NAME", "ID"),
    ].map((path) => path.replace("NAME", "{name}").replace("ID", "{id}")),
  );

  const { audit, auditStream, auditVerify, recordings, recording } = auditPaths;
  called.push(audit, auditStream, auditVerify, recordings, recording("ID").replace("ID", "{requestId}"));

  called.push(fitnessPaths.list);

  const { objects, kinds, rollups, changes, inventories } = inventoryPaths;
  called.push(objects, kinds, rollups, changes, inventories);
  called.push("/api/v1/objects/{cluster}/{uid}", "/api/v1/clusters/{name}/objects/{kind}/{namespace}/{object}");
  called.push(
    ...[inventoryPaths.inventory("NAME"), inventoryPaths.confirmInventory("NAME")].map((path) =>
      path.replace("NAME", "{name}").replace("ID", "{id}"),
    ),
  );

  const { commands, commandKeys, rotateCommandKeys, ...ofCommand } = commandPaths;
  called.push(commands, commandKeys, rotateCommandKeys);
  called.push(...Object.values(ofCommand).map((at) => at("ID").replace("ID", "{id}")));

  const { rollouts, previewRollout, ...ofRollout } = rolloutPaths;
  called.push(rollouts, previewRollout);

  const { stacks, ...ofStack } = stackPaths;
  called.push(
    stacks,
    ...Object.values(ofStack).map((at) => at("NAME", "ID").replace("NAME", "{name}").replace("ID", "{id}")),
  );
  called.push(...Object.values(ofRollout).map((at) => at("ID").replace("ID", "{id}")));

  const { settings, statuses, status, confirmDeletions, applications, argoObjects, argoObject, ...ofApplication } =
    gitopsPaths;
  called.push(argoObjects("projects").replace("projects", "{kind}"));
  called.push(argoObject({ kind: "projects", name: "NAME" }).replace("projects/NAME", "{kind}/{name}"));
  const application = { cluster: "NAME", namespace: "NAMESPACE", name: "APP" };
  called.push(applications, statuses);
  called.push(...[settings, status, confirmDeletions].map((at) => at("NAME").replace("NAME", "{name}")));
  called.push(
    ...Object.values(ofApplication).map((at) =>
      at(application).replace("NAMESPACE", "{namespace}").replace("NAME", "{name}").replace("APP", "{app}"),
    ),
  );

  const { schedules, ...ofSchedule } = schedulePaths;
  called.push(schedules);
  called.push(...Object.values(ofSchedule).map((at) => at("NAME").replace("NAME", "{name}")));

  const { templates, template, renderTemplate } = templatePaths;
  called.push(templates, ...[template("NAME"), renderTemplate("NAME")].map((path) => path.replace("NAME", "{name}")));

  const { profiles, choices, ...ofProfile } = profilePaths;
  called.push(profiles, choices, ...Object.values(ofProfile).map((at) => at("NAME").replace("NAME", "{name}")));

  const { session, robot, robotTokens, robotToken, user, userSignOut, accessRole, binding, ...fixed } = accessPaths;
  called.push(...Object.values(fixed), session("ID").replace("ID", "{id}"), binding("ID").replace("ID", "{id}"));
  called.push(
    ...[robot("NAME"), robotTokens("NAME"), robotToken("NAME", "ID"), user("NAME"), userSignOut("NAME")]
      .concat(accessRole("NAME"))
      .map((path) => path.replace("NAME", "{name}").replace("ID", "{id}")),
  );

  expect(described).toEqual(new Set(called));
});
