import { describe, expect, it } from "vitest";
import { readPerson } from "./person.ts";

const base = { issuer: "https://idp.test", groupsClaim: "groups", usernameClaim: undefined, allowedGroups: undefined };

describe("a person's name", () => {
  it.each([
    [{ sub: "1", email: "a@b.c", email_verified: true }, "a@b.c"],
    [{ sub: "1", email: "a@b.c", email_verified: "true" }, "a@b.c"],
    [{ sub: "1", email: "a@b.c" }, "1"],
    [{ sub: "1", email: "a@b.c", email_verified: null }, "1"],
    [{ sub: "1", email: "a@b.c", email_verified: 1 }, "1"],
    [{ sub: "1", email: "a@b.c", email_verified: false }, "1"],
    [{ sub: "1", email: "a@b.c", email_verified: "false" }, "1"],
    [{ sub: "1" }, "1"],
    [{ sub: "1", email: 7 }, "1"],
  ])("in %j is %s", (claims, name) => {
    expect(readPerson(claims, base).name).toBe(name);
  });

  it.each([
    [{}, "AUTH_OIDC_ANSWER_INVALID"],
    [{ sub: 7 }, "AUTH_OIDC_ANSWER_INVALID"],
    [{ sub: "system:masters" }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: "System:anonymous" }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: "admin" }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: "robot:ci" }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: "a\r\nImpersonate-Group: system:masters" }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: "x".repeat(257) }, "AUTH_OIDC_USER_REFUSED"],
    [{ sub: " a" }, "AUTH_OIDC_USER_REFUSED"],
  ])("in %j is refused", (claims, code) => {
    expect(() => readPerson(claims, base)).toThrow(expect.objectContaining({ code }));
  });

  it("is an e-mail address of which the provider says nothing only where that is to be assumed", () => {
    const settings = { ...base, assumesEmailVerified: true };
    expect(readPerson({ sub: "1", email: "a@b.c" }, settings).name).toBe("a@b.c");
    expect(readPerson({ sub: "1", email: "a@b.c", email_verified: false }, settings).name).toBe("1");
    const named = { ...base, usernameClaim: "email" };
    expect(() => readPerson({ sub: "1", email: "a@b.c" }, named)).toThrow(/isn't verified/);
    expect(readPerson({ sub: "1", email: "a@b.c" }, { ...named, assumesEmailVerified: true }).name).toBe("a@b.c");
  });

  it("is the configured claim and nothing else", () => {
    const settings = { ...base, usernameClaim: "preferred_username" };
    expect(readPerson({ sub: "1", preferred_username: "al" }, settings).name).toBe("al");
    expect(() => readPerson({ sub: "1", email: "a@b.c" }, settings)).toThrow(/preferred_username/);
    const unverified = { sub: "1", email: "a@b.c", email_verified: false };
    expect(() => readPerson(unverified, { ...base, usernameClaim: "email" })).toThrow(/isn't verified/);
  });
});

describe("a person's groups", () => {
  it.each([
    [
      ["a", "b", "a"],
      ["a", "b"],
    ],
    ["one", ["one"]],
    [undefined, []],
    [{ a: 1 }, []],
    [["good", 7, "", "bad\nline", null], ["good"]],
  ])("of %j are %j", (groups, expected) => {
    expect(readPerson({ sub: "1", groups }, base).groups).toEqual(expected);
  });

  it("must have one that may sign in, when some are named", () => {
    const settings = { ...base, allowedGroups: ["ops"] };
    expect(readPerson({ sub: "1", groups: ["ops"] }, settings).name).toBe("1");
    for (const groups of [["dev"], [], undefined]) {
      expect(() => readPerson({ sub: "1", groups }, settings)).toThrow(
        expect.objectContaining({ code: "AUTH_OIDC_USER_REFUSED", httpStatus: 403 }),
      );
    }
  });

  it("are refused when nobody could read them all", () => {
    const groups = Array.from({ length: 5_001 }, (_, index) => `g${index}`);
    expect(() => readPerson({ sub: "1", groups }, base)).toThrow(/5000 groups/);
  });
});
