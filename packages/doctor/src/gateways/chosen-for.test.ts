import { expect, test } from "vitest";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { changed, readStandIn } from "../testing/stand-ins.fixture.ts";
import { recordedPreferences, servesAnnotation } from "./chosen-for.ts";
import { readGateways } from "./read-gateways.ts";

const istio = readStandIn("istio/upstream");

test("a gateway is chosen for each host and port in its annotation, and for nothing that isn't one", () => {
  expect(chosen(annotated(istio, "public", "*.Apps.example.com:443, shop.example.com:80,nonsense,:1"))).toEqual([
    { host: "*.apps.example.com", port: 443, gateway: "istio/istio-system/public" },
    { host: "shop.example.com", port: 80, gateway: "istio/istio-system/public" },
  ]);
  expect(chosen(istio)).toEqual([]);
});

test("where two gateways are chosen for the same, nobody has chosen", () => {
  const first = annotated(istio, "public", "a.example.com:80,b.example.com:80");
  const other = first.flatMap((object) => {
    if (object.kind !== "Gateway" || object.metadata.name !== "public") return [];
    return [
      { ...object, metadata: { ...object.metadata, name: "second", annotations: annotation("a.example.com:80") } },
    ];
  });
  expect(chosen([...first, ...other])).toEqual([
    { host: "b.example.com", port: 80, gateway: "istio/istio-system/public" },
  ]);
});

function chosen(objects: readonly ClusterObject[]) {
  return recordedPreferences(readGateways(snapshotOfObjects({ objects, isComplete: true })));
}

function annotated(objects: readonly ClusterObject[], name: string, value: string): ClusterObject[] {
  return changed(objects, "Gateway", name, ({ metadata }) => {
    Object.assign(metadata, { annotations: annotation(value) });
  });
}

function annotation(value: string): Record<string, string> {
  return { [servesAnnotation]: value };
}
