import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLinkRewriter } from "./rewrite-links.ts";

const prefix = "/k8s/clusters/east";

describe("a page's links from the root lead into the cluster", () => {
  test.each([
    ['<a href="/x">', `<a href="${prefix}/x">`],
    ["<a href='/x'>", `<a href='${prefix}/x'>`],
    ["<A class=b HREF=/x>", `<A class=b HREF=${prefix}/x>`],
    ['<a href="/">', `<a href="${prefix}/">`],
    ['<form\n action = "/x" method=post>', `<form\n action = "${prefix}/x" method=post>`],
    ['<img src="/a.png" usemap="#m">', `<img src="${prefix}/a.png" usemap="#m">`],
    ['<script src="/a.js"></script>', `<script src="${prefix}/a.js"></script>`],
    ['<base href="/b/">', `<base href="${prefix}/b/">`],
    ["<video poster=/p src=/s>", `<video poster=${prefix}/p src=${prefix}/s>`],
  ])("%s", (page, expected) => {
    expect(rewrite([page])).toBe(expected);
  });

  test("and nothing else is touched", () => {
    for (const page of [
      '<a href="x">',
      '<a href="//cdn.example/x">',
      '<a href="/\\cdn.example/x">',
      '<a href="https://else.example/x">',
      '<a href="">',
      "<a href>",
      '<a data-href="/x" title="/y">/z</a>',
      "<script>document.write('<a href=\"/x\">')</script>",
      '<!-- <a href="/x"> -->',
      '<textarea><a href="/x"></textarea>',
      "a < b\r\n&amp; \0 <",
    ]) {
      expect(rewrite([page])).toBe(page);
    }
  });

  test("wherever the network cuts the page", () => {
    const page = '<html><body background=/b><a\nhref="/x">/x</a><img src=\'//h/i\' longdesc="/l"><a href="/">é</a>';
    const whole = rewrite([page]);
    expect(whole.split(prefix)).toHaveLength(5);
    const cuts = fc.array(fc.nat(page.length), { maxLength: 12 });
    fc.assert(fc.property(cuts, (at) => rewrite(cut(page, at)) === whole));
    expect(rewrite([...page])).toBe(whole);
  });

  test("whatever the page holds, its own bytes stay in order", () => {
    const pieces = fc.array(
      fc.constantFrom("<", ">", '"', "'", "=", "/", "a ", "href", "!--", "script", "\0", " ", "é"),
    );
    fc.assert(
      fc.property(pieces, (parts) => rewrite(parts).replaceAll(prefix, "") === parts.join("")),
      { numRuns: 1_000 },
    );
  });

  test("a value without an end is given out as it comes", () => {
    const rewriter = createLinkRewriter(prefix);
    expect(rewriter.write('<a href="/')).toBe('<a href="');
    expect(rewriter.write("x")).toBe(`${prefix}/x`);
    for (let part = 0; part < 1_000; part++) expect(rewriter.write("y".repeat(1_000))).toHaveLength(1_000);
  });
});

function rewrite(parts: readonly string[]): string {
  const rewriter = createLinkRewriter(prefix);
  return parts.map((part) => rewriter.write(part)).join("") + rewriter.end();
}

function cut(page: string, at: readonly number[]): string[] {
  const places = [0, ...[...at].sort((a, b) => a - b), page.length];
  return places.slice(1).map((end, index) => page.slice(places[index], end));
}
