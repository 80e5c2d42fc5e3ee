import { describe, expect, it } from "vitest";
import { requireFreeName } from "./reserved-names.ts";

const reserved = { namespaces: ["fairlead-hub", "cd"], isRobot: (name: string) => name === "builder" };

describe("a new cluster", () => {
  it.each([
    "in-cluster",
    "argocd",
    "default",
    "kube-system",
    "kube-public",
    "fairlead",
    "system",
    "fairlead-hub",
    "cd",
    "fairlead-argocd",
    "builder",
  ])("can't have the name %s", (name) =>
    expect(() => requireFreeName(name, reserved)).toThrow(expect.objectContaining({ code: "CLUSTER_NAME_RESERVED" })),
  );

  it.each(["east", "in-cluster-2", "argocd-east", "default-1", "kube", "kubernetes", "my-kube-system"])(
    "can have the name %s",
    (name) => expect(() => requireFreeName(name, reserved)).not.toThrow(),
  );
});
