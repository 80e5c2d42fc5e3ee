import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roles } from "../roles.ts";
import { parseSpiffeUri, spiffeUri } from "./index.ts";

describe("parseSpiffeUri", () => {
  it("reads what spiffeUri writes", () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(label, label, fc.constantFrom(...roles), (trustDomain, cluster, role) => {
        const identity = { trustDomain, cluster, role };
        expect(parseSpiffeUri(spiffeUri(identity))).toEqual(identity);
      }),
    );
  });

  it.each([
    "spiffe://fairlead.local/cluster/east/role/admin",
    "spiffe://fairlead.local/cluster/east/role/proxy/",
    "spiffe://fairlead.local/cluster/east/role/proxy?x",
    "spiffe://fairlead.local/cluster/east/role/proxy#x",
    "spiffe://fairlead.local:443/cluster/east/role/proxy",
    "spiffe://user@fairlead.local/cluster/east/role/proxy",
    "spiffe://fairlead.local/cluster/EAST/role/proxy",
    "spiffe://fairlead.local/cluster/ea%73t/role/proxy",
    "spiffe://fairlead.local/cluster//role/proxy",
    "spiffe://fairlead.local/cluster/east/../west/role/proxy",
    "spiffe:///cluster/east/role/proxy",
    "SPIFFE://fairlead.local/cluster/east/role/proxy",
    " spiffe://fairlead.local/cluster/east/role/proxy",
    "spiffe://fairlead.local/cluster/east/role/proxy\n",
  ])("refuses %j", (uri) => {
    expect(parseSpiffeUri(uri)).toBeUndefined();
  });
});
