import { grantOperations as operations } from "@fairlead/contract";
import type { FastifyPluginAsync } from "fastify";
import { createServe } from "../../../platform/server/index.ts";
import { parse } from "../body.ts";
import type { AccessRoom } from "../service.ts";
import { toPrincipal } from "../subjects.ts";
import { explain, listWhoCan, type Question } from "./explain.ts";

/** Anyone may ask about themselves; about others who may list bindings. */
export function createExplainRoutes(access: AccessRoom): FastifyPluginAsync {
  const { grants, groupPrefix, usernamePrefix } = access;

  return async (server) => {
    const serve = createServe(server, parse);

    serve(operations.explainAccess, ({ principal: asker, body: wanted }) => {
      const subject = toPrincipal(access, wanted.subject);
      const isOneself = subject.kind === asker.kind && subject.name === asker.name && !wanted.subject.groups;
      if (!isOneself) access.require(asker, { verb: "list", resource: "bindings" });
      const principal = isOneself ? asker : subject;
      return explain({
        principal,
        grants: grants.of(principal),
        question: toQuestion(access, wanted),
        groupPrefix,
        usernamePrefix,
      });
    });

    serve(operations.whoCan, (call) => {
      access.require(call.principal, { verb: "list", resource: "bindings" });
      const question = toQuestion(access, call.body);
      return listWhoCan({ bindings: grants.bindings(), roles: grants.roles, question });
    });
  };
}

/** The hub's own things are told by their names; everything else is something in a cluster. */
function toQuestion(
  { labels }: AccessRoom,
  wanted: {
    readonly verb: string;
    readonly resource: string;
    readonly cluster?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
  },
): Question {
  const { verb, cluster: name, namespace = "", name: object = "" } = wanted;
  const cluster = name === undefined ? undefined : { name, labels: labels(name) };
  const [resource = "", subresource = ""] = wanted.resource.split("/");
  if (!cluster || resource === "clusters") return { kind: "hub", verb, resource: wanted.resource, cluster };
  const dot = resource.indexOf(".");
  return {
    kind: "cluster",
    cluster,
    attributes: {
      // As for real requests: what runs something in a pod is `create`, whatever the method.
      verb: running.has(subresource) ? "create" : verb,
      isResource: true,
      path: "",
      apiVersion: "",
      namespace,
      subresource,
      name: object,
      resource: dot < 0 ? resource : resource.slice(0, dot),
      apiGroup: dot < 0 ? "" : resource.slice(dot + 1),
    },
  };
}

const running = new Set(["exec", "attach", "portforward"]);
