import { expect, test } from "vitest";
import { isDryRun } from "./is-dry-run.ts";

test.each([
  ["/x?dryRun=All", true],
  ["/x?fieldManager=helm&dryRun=All&force=true", true],
  ["/x", false],
  ["/x?", false],
  ["/x?dryRun=", false],
  ["/x?dryRun=all", false],
  ["/x?dryRun=None", false],
  ["/x?dryrun=All", false],
  ["/x?dryRun=All&dryRun=All", false],
  ["/x?dryRun=All&dryRun=", false],
  ["/x?dryRun=All&dryrun=None", false],
  ["/x?dry%52un=All", false],
  ["/x?dryRun=All&dry%52un=None", false],
  ["/x?dryRun=%41ll", false],
  ["/x?dryRun=All;x=y", false],
  ["/x?dryRun=All&a;b=c", false],
  ["/x?dryRun=All&%zz=c", false],
  ["/x?a=dryRun=All", false],
])("%s: %j", (path, expected) => {
  expect(isDryRun(path)).toBe(expected);
});
