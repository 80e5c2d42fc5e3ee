import { expect, it } from "vitest";
import { toLoggablePath } from "./index.ts";

it.each([
  ["/api/v1/pods", "/api/v1/pods"],
  ["/api/v1/pods?watch=true&resourceVersion=12", "/api/v1/pods?watch=true&resourceVersion=12"],
  ["/x/exec?command=mysql&command=-psecret&stdin=true&tty", "/x/exec?command=…&command=…&stdin=true&tty"],
  ["/x/proxy/login?token=a=b&user=me", "/x/proxy/login?token=…&user=…"],
  ["/api/v1/secrets?labelSelector=owner%3Dme", "/api/v1/secrets?labelSelector=…"],
  ["/x?", "/x?"],
])("%s is logged as %s", (path, expected) => {
  expect(toLoggablePath(path)).toBe(expected);
});
