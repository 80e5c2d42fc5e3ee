import { describe, expect, it } from "vitest";
import { readImpersonation } from "./impersonation.ts";

const manyExtras = Array.from({ length: 65 }, (_, at) => [`Impersonate-Extra-k${at}`, "x"]).flat();

describe("whom a caller wants to be", () => {
  it("is nobody else when no header says so", () => {
    expect(readImpersonation(["Host", "x", "If-Match", "y", "Import", "z", "Impersonated", "no"])).toBeUndefined();
  });

  it("is read as kubectl and client-go write it", () => {
    const raw = [
      "Impersonate-User",
      "bob",
      "Accept",
      "x",
      "Impersonate-Group",
      "devs",
      "Impersonate-Group",
      "ops",
      "Impersonate-Uid",
      "u-1",
      "Impersonate-Extra-Scopes",
      "view",
      "Impersonate-Extra-Scopes",
      "edit",
      "Impersonate-Extra-Acme.com%2fproject",
      "p",
    ];
    const read = readImpersonation(raw);
    expect(read).toMatchObject({ user: "bob", uid: "u-1", groups: ["devs", "ops"] });
    expect({ ...read?.extra }).toEqual({ scopes: ["view", "edit"], "acme.com/project": ["p"] });
  });

  it("is read in small letters too, and as UTF-8", () => {
    const line = Buffer.from("zoë").toString("latin1");
    expect(readImpersonation(["impersonate-user", line])).toMatchObject({ user: "zoë", groups: [] });
  });

  it("isn't led astray by names that objects have", () => {
    const read = readImpersonation(["Impersonate-User", "bob", "Impersonate-Extra-__proto__", "x"]);
    expect(Object.entries(read?.extra ?? {})).toEqual([["__proto__", ["x"]]]);
    expect({}).not.toHaveProperty("0");
  });

  it.each<[string, string[]]>([
    ["two users", ["Impersonate-User", "bob", "Impersonate-User", "bob"]],
    ["two users, one of them in another case", ["Impersonate-User", "bob", "impersonate-user", "root"]],
    ["two uids", ["Impersonate-User", "bob", "Impersonate-Uid", "1", "Impersonate-Uid", "2"]],
    ["an odd case", ["ImPersonate-User", "bob"]],
    ["capitals", ["IMPERSONATE-USER", "bob"]],
    ["an underscore", ["Impersonate_User", "bob"]],
    ["an unknown member", ["Impersonate-User", "bob", "Impersonate-Everyone", "yes"]],
    ["an extra without a key", ["Impersonate-User", "bob", "Impersonate-Extra-", "x"]],
    ["an extra that can't be decoded", ["Impersonate-User", "bob", "Impersonate-Extra-%zz", "x"]],
    ["an extra whose key has a NUL", ["Impersonate-User", "bob", "Impersonate-Extra-a%00", "x"]],
    ["more extras than a link carries", ["Impersonate-User", "bob", ...manyExtras]],
    ["a group without a user", ["Impersonate-Group", "devs"]],
    ["a uid without a user", ["Impersonate-Uid", "1"]],
    ["an empty user", ["Impersonate-User", ""]],
    ["an empty group", ["Impersonate-User", "bob", "Impersonate-Group", ""]],
    ["blanks around a name", ["Impersonate-User", "bob\u00a0".replace("\u00a0", " ")]],
    ["bytes that aren't UTF-8", ["Impersonate-User", "\u00ff\u00fe"]],
    ["a folded line", ["Impersonate-User", "bob\r\n\troot"]],
    ["a tab within", ["Impersonate-User", "bob\troot"]],
    ["a name without end", ["Impersonate-User", "b".repeat(1_025)]],
  ])("is refused with %s", (_, raw) => {
    expect(() => readImpersonation(raw)).toThrow(
      expect.objectContaining({ code: "PROXY_IMPERSONATION_INVALID", httpStatus: 400 }),
    );
  });
});
