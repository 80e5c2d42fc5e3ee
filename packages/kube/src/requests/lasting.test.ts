import { expect, it } from "vitest";
import { isLasting } from "./lasting.ts";
import { readRequestAttributes } from "./request-attributes.ts";

it.each([
  ["pods?watch=1", true],
  ["pods?w%61tch=1", true],
  ["pods", false],
  ["pods/b/log?follow=true", true],
  ["pods/b/log?container=c&follow=1", true],
  ["pods/b/log?follow", true],
  ["pods/b/%6cog?f%6fllow=true", true],
  ["pods/b/log?follow=true&follow=false", true],
  ["pods/b/log?follow=0", false],
  ["pods/b/log?follow=False", false],
  ["pods/b/log?follow=%66alse", false],
  ["pods/b/log?container=follow=true", false],
  ["pods/b/log", false],
  ["pods/b?follow=true", false],
])("%s goes on: %s", (rest, expected) => {
  const path = `/api/v1/namespaces/a/${rest}`;
  expect(isLasting(readRequestAttributes({ method: "GET", path }), path)).toBe(expected);
});
