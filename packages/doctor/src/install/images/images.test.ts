import { expect, test } from "vitest";
import { collectImages } from "./collect-images.ts";
import { isMirrored, mirroredImage, valuesOfMirror } from "./mirror-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each<[string, object, string[]]>([
  [
    "containers",
    { containers: [{ image: "quay.io/x/y:1" }], initContainers: [{ image: "busybox:1" }] },
    ["busybox:1", "quay.io/x/y:1"],
  ],
  ["custom resources", { image: "quay.io/prometheus/prometheus:v3" }, ["quay.io/prometheus/prometheus:v3"]],
  ["arguments", { args: ["--reloader=quay.io/x/r:v1", "--level=info", "--url=http://a.b/c:80"] }, ["quay.io/x/r:v1"]],
  ["variables", { env: [{ name: "SIDECAR", value: `ghcr.io/x/s@${digest}` }] }, [`ghcr.io/x/s@${digest}`]],
  [
    "parts",
    { driver: { repository: "nvcr.io/nvidia", image: "driver", version: "570.1" } },
    ["nvcr.io/nvidia/driver:570.1"],
  ],
  ["the same twice", { a: { image: "a/b:1" }, b: { image: "a/b:1" } }, ["a/b:1"]],
  ["what an injector fills in", { image: "auto" }, []],
  ["other texts", { image: "", value: "quay.io/x/y", args: ["example.com/path"], note: "quay.io/x/y:1" }, []],
])("images of %s are found", (_name, spec, images) => {
  expect(collectImages([{ kind: "Thing", metadata: { name: "t" }, spec }])).toEqual(images);
});

test.each([
  ["quay.io/x/y:1", "reg.example.com/x/y:1"],
  ["x/y:1", "reg.example.com/x/y:1"],
  ["nginx", "reg.example.com/library/nginx"],
  ["localhost:5000/y:1", "reg.example.com/y:1"],
  [`quay.io/y@${digest}`, `reg.example.com/y@${digest}`],
  ["reg.example.com/x/y:1", "reg.example.com/x/y:1"],
])("%s is mirrored as %s", (image, expected) => {
  expect(mirroredImage(image, "reg.example.com")).toBe(expected);
  expect(isMirrored(expected, "reg.example.com/")).toBe(true);
});

test.each<[string, unknown, string[], object]>([
  ["a whole image", { image: "quay.io/x/y:1" }, ["quay.io/x/y:1"], { image: "m.io/x/y:1" }],
  [
    "repository and tag",
    { image: { repository: "quay.io/x/y", tag: "1" } },
    ["quay.io/x/y:1"],
    { image: { repository: "m.io/x/y" } },
  ],
  [
    "registry and repository",
    { image: { registry: "quay.io", repository: "x/y" } },
    ["quay.io/x/y:1"],
    { image: { registry: "m.io" } },
  ],
  [
    "a repository of Docker Hub",
    { image: { registry: "", repository: "x/y" } },
    ["x/y:1"],
    { image: { repository: "m.io/x/y" } },
  ],
  [
    "a hub for all",
    { global: { hub: "docker.io/istio" } },
    ["docker.io/istio/pilot:1"],
    { global: { hub: "m.io/istio" } },
  ],
  ["a folder of Docker Hub", { global: { hub: "istio" } }, ["istio/pilot:1"], { global: { hub: "m.io/istio" } }],
  [
    "a folder and an image in it",
    { op: { repository: "nvcr.io/nvidia", image: "op" } },
    ["nvcr.io/nvidia/op:1"],
    { op: { repository: "m.io/nvidia" } },
  ],
  ["images that aren't used", { image: { repository: "quay.io/z" } }, ["quay.io/x/y:1"], {}],
  ["names that aren't of images", { host: "quay.io", url: "quay.io/x/y" }, ["quay.io/x/y:1"], {}],
  ["lists", { images: [{ image: "quay.io/x/y:1" }] }, ["quay.io/x/y:1"], {}],
])("values with %s are rewritten", (_name, defaults, images, expected) => {
  expect(valuesOfMirror({ defaults, images, registry: "m.io" })).toEqual(expected);
});
