import { expect, test } from "vitest";
import { type CredentialPlace, placeOfUrl, requireHost } from "./credential-hosts.ts";

const secret = "team/login";
const judge = (annotation: string | undefined, place: CredentialPlace, rules: readonly object[] = []): string => {
  try {
    requireHost({ secret, annotation, place, rules: rules as never });
    return "allowed";
  } catch (error) {
    return String((error as { code: string }).code);
  }
};

test.each<[string | undefined, string, string]>([
  ["git.example.com", "https://git.example.com/team/app", "allowed"],
  ["GIT.example.com", "https://git.EXAMPLE.com/team/app", "allowed"],
  [" a.example.com , git.example.com ", "https://git.example.com", "allowed"],
  ["*.example.com", "ssh://git@git.example.com:2222/app", "allowed"],
  ["git.example.com:2222", "ssh://git@git.example.com:2222/app", "allowed"],
  ["git.example.com:443", "https://git.example.com", "allowed"],
  ["127.0.0.1", "http://127.0.0.1:8080/app", "allowed"],
  [undefined, "https://git.example.com", "SECRET_HOST_NOT_ALLOWED"],
  ["", "https://git.example.com", "SECRET_HOST_NOT_ALLOWED"],
  [",", "https://git.example.com", "SECRET_HOST_NOT_ALLOWED"],
  ["git.example.com", "https://git.example.com.evil.net", "SECRET_HOST_NOT_ALLOWED"],
  ["git.example.com", "https://evil.net/git.example.com", "SECRET_HOST_NOT_ALLOWED"],
  ["*.example.com", "https://example.com", "SECRET_HOST_NOT_ALLOWED"],
  ["*.example.com", "https://evilexample.com", "SECRET_HOST_NOT_ALLOWED"],
  ["git.example.com:22", "https://git.example.com", "SECRET_HOST_NOT_ALLOWED"],
  ["git.example.com", "http://git.example.com", "SECRET_HOST_UNENCRYPTED"],
  ["*", "http://10.0.0.1", "SECRET_HOST_UNENCRYPTED"],
])("a Secret that names %j goes to %s: %s", (annotation, url, verdict) => {
  expect(judge(annotation, placeOfUrl(url))).toBe(verdict);
});

test("the policy of the cluster names hosts for one Secret, and none for others", () => {
  const place = placeOfUrl("https://git.example.com");
  expect(judge(undefined, place, [{ secret, hosts: ["git.example.com"] }])).toBe("allowed");
  expect(judge(undefined, place, [{ secret: "team/other", hosts: ["*"] }])).toBe("SECRET_HOST_NOT_ALLOWED");
});
