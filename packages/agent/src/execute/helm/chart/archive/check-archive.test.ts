import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type ArchiveLimits, checkArchive, openBudget } from "./check-archive.ts";
import { archiveOf, bombOf, chartFile, crowdOf, tarOf } from "./tar.fixture.ts";

const few: ArchiveLimits = { sizeBytes: 2 ** 20, entries: 10 };
const longName = `web/${"n".repeat(150)}`;

test.each([
  ["a chart", archiveOf([{ name: "web/", flag: "5" }, chartFile, { name: "web/templates/a.yaml", body: "a" }])],
  [
    "a long name",
    archiveOf([
      { name: "L", flag: "L", body: longName },
      { name: longName, body: "a" },
    ]),
  ],
  [
    "a name in a note",
    archiveOf([
      { name: "x", flag: "x", body: "18 path=web/a.txt\n" },
      { name: "a", body: "a" },
    ]),
  ],
  ["a chart in a chart", archiveOf([chartFile, { name: "web/charts/a.tgz", body: archiveOf([chartFile]) }])],
  ["something packed", archiveOf([chartFile, { name: "web/files/a.gz", body: gzipSync("x".repeat(10_000)) }])],
  ["an archive without its end", gzipSync(tarOf([chartFile]))],
])("%s is fine", async (_, archive) => {
  await checkArchive(archive, openBudget(few));
});

test.each([
  ["a symbolic link", archiveOf([{ name: "web/a", flag: "2", link: "/etc/passwd" }]), "a link"],
  ["a hard link", archiveOf([{ name: "web/a", flag: "1", link: "../../etc/passwd" }]), "a link"],
  ["a device", archiveOf([{ name: "web/a", flag: "4" }]), "a device"],
  ["a pipe", archiveOf([{ name: "web/a", flag: "6" }]), "a device"],
  ["a sparse file", archiveOf([{ name: "web/a", flag: "S" }]), "neither"],
  ["a path upwards", archiveOf([{ name: "web/../../a" }]), "leads out"],
  ["one by backslashes", archiveOf([{ name: "web\\..\\..\\a" }]), "leads out"],
  ["an absolute path", archiveOf([{ name: "/etc/a" }]), "leads out"],
  ["one in a note", archiveOf([{ name: "x", flag: "x", body: "14 path=/etc/a\n" }, { name: "web/a" }]), "leads out"],
  ["a long one", archiveOf([{ name: "L", flag: "L", body: `../${"a".repeat(150)}` }, { name: "web/a" }]), "leads out"],
  ["two sizes", archiveOf([{ name: "x", flag: "x", body: "16 size=1000000\n" }, { name: "web/a" }]), "two sizes"],
  ["a bomb", bombOf(1), "unpacks to more than 1 MiB"],
  ["a bomb in it", archiveOf([chartFile, { name: "web/charts/a.tgz", body: bombOf(1) }]), "unpacks to more than 1 MiB"],
  ["a bomb of another name", archiveOf([{ name: "web/readme", body: bombOf(1) }]), "unpacks to more than 1 MiB"],
  ["a crowd", crowdOf(1), "more than 10 entries"],
  ["a file that ends early", gzipSync(tarOf([{ name: "web/a", sizeBytes: 5_000 }])), "ends too early"],
  ["no archive", Buffer.from("<html>"), "can't be unpacked"],
  [
    "half of one",
    archiveOf([chartFile, { name: "web/a", body: "a".repeat(3_000) }]).subarray(0, 60),
    "can't be unpacked",
  ],
  ["archives in archives", matryoshka(12), "more than 8 deep"],
])("%s is told", async (_, archive, told) => {
  await expect(checkArchive(archive, openBudget({ ...few, entries: told.includes("deep") ? 50 : 10 }))).rejects.toThrow(
    told,
  );
});

test("several archives share a budget", async () => {
  const budget = openBudget({ ...few, entries: 3 });
  await checkArchive(archiveOf([chartFile, { name: "web/a" }]), budget);
  await expect(checkArchive(archiveOf([chartFile, { name: "web/a" }]), budget)).rejects.toThrow("entries");
});

function matryoshka(times: number): Buffer {
  const inner = times === 0 ? [] : [{ name: "web/charts/a.tgz", body: matryoshka(times - 1) }];
  return archiveOf([chartFile, ...inner]);
}
