import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createCall, isLong } from "./call.ts";

describe("a log", () => {
  it.each([
    ["?follow=true", true],
    ["?container=c&follow=1", true],
    ["?follow", true],
    ["?f%6fllow=true", true],
    ["?follow=%74rue", true],
    ["?follow=true&follow=false", true],
    ["?follow=0", false],
    ["?follow=False", false],
    ["?follow=%66alse", false],
    ["?container=follow=true", false],
    ["", false],
  ])("read with %j counts as a stream: %s", (query, expected) => {
    const url = `/k8s/clusters/east/api/v1/namespaces/a/pods/b/log${query}`;
    const call = createCall({ url, headers: {} } as IncomingMessage, false);
    call.attributes = {
      ...{ verb: "get", isResource: true, path: "", apiGroup: "", apiVersion: "v1", namespace: "a" },
      ...{ resource: "pods", subresource: "log", name: "b" },
    };
    expect(isLong(call)).toBe(expected);
  });
});
