import { testGolden } from "../testing/golden-cases.fixture.ts";
import { notebooks } from "./notebooks.ts";

const of = "notebooks/upstream";

testGolden(notebooks, {
  shapes: [{ of, version: "1.10.0", provenance: "manifests" }],
  cases: [
    {
      title: "a definition without a controller is residue",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind === "CustomResourceDefinition"),
      state: "crds-only",
    },
    {
      title: "a controller that may not be seen is unknown",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind === "CustomResourceDefinition"),
      hidden: new Map([["deployments.apps", "forbidden"]]),
      state: "unknown",
    },
  ],
});
