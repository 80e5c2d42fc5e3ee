import { linkRolesHeader } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { readIdentity, readRoles } from "./read-identity.ts";

const xfcc = "x-forwarded-client-cert";

test("of several elements the last one counts, of a header of one's own all of it", () => {
  expect(readIdentity(["X-Forwarded-Client-Cert", "URI=spiffe://a,By=b;URI=spiffe://c"], xfcc)).toBe("spiffe://c");
  expect(readIdentity(["X-Mesh", " east.example;proxy "], "x-mesh")).toBe("east.example;proxy");
});

test.each([
  ["nothing", [], xfcc, "LINK_MESH_HEADER_MISSING"],
  ["an empty header", [xfcc, " "], xfcc, "LINK_MESH_HEADER_MISSING"],
  ["a value with the header's name", ["other", xfcc], xfcc, "LINK_MESH_HEADER_MISSING"],
  ["two lines in two spellings", ["X-Mesh", "a", "x-mesh", "a"], "x-mesh", "LINK_MESH_HEADER_DOUBLED"],
  ["an empty line beside it", ["x-mesh", "", "x-mesh", "a"], "x-mesh", "LINK_MESH_HEADER_MISSING"],
  ["two values", ["x-mesh", "a,b"], "x-mesh", "LINK_MESH_HEADER_DOUBLED"],
  ["two URIs in one element", [xfcc, "URI=a;URI=b"], xfcc, "LINK_MESH_HEADER_DOUBLED"],
  ["a URI in an element that isn't the last", [xfcc, "URI=a,By=b"], xfcc, "LINK_MESH_HEADER_INVALID"],
  ["an empty URI", [xfcc, "URI="], xfcc, "LINK_MESH_HEADER_INVALID"],
  ["what isn't one", [xfcc, "spiffe://a"], xfcc, "LINK_MESH_HEADER_INVALID"],
  ["too much", [xfcc, `Cert="${"a".repeat(7_000)}";URI=a`], xfcc, "LINK_MESH_HEADER_INVALID"],
  ["too long an identity", ["x-mesh", "a".repeat(1_025)], "x-mesh", "LINK_MESH_HEADER_INVALID"],
  ["blanks", ["x-mesh", "a b"], "x-mesh", "LINK_MESH_HEADER_INVALID"],
  ["what isn't ASCII", ["x-mesh", "eäst"], "x-mesh", "LINK_MESH_HEADER_INVALID"],
])("%s is refused", (_what, headers, header, code) => {
  expect(() => readIdentity(headers, header)).toThrow(expect.objectContaining({ code }));
});

test("roles are read once each, in one order", () => {
  expect(readRoles([linkRolesHeader, "proxy, observe,proxy"])).toEqual(["observe", "proxy"]);
});

test.each([
  [[]],
  [[linkRolesHeader, ""]],
  [[linkRolesHeader, "king"]],
  [[linkRolesHeader, "proxy", linkRolesHeader, "proxy"]],
])("no roles are read from %j", (headers) => {
  expect(() => readRoles(headers)).toThrow(expect.objectContaining({ code: "LINK_MESH_ROLES_MISSING" }));
});
