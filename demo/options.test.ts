import { expect, test } from "vitest";
import { parseDemoOptions } from "./options.ts";

test("the end of the demo is chosen by its options", () => {
  expect(parseDemoOptions([])).toEqual({
    ownKubeconfig: undefined,
    download: false,
    hubs: 1,
    show: "links",
    afterwards: { kind: "stay" },
  });
  expect(parseDemoOptions(["--once"])).toMatchObject({ afterwards: { kind: "stop" } });
  expect(parseDemoOptions(["--exec", "exit 7", "--kubeconfig", "mine"])).toEqual({
    ownKubeconfig: "mine",
    download: false,
    hubs: 1,
    show: "links",
    afterwards: { kind: "exec", command: "exit 7" },
  });
  expect(parseDemoOptions(["--download", "--once"])).toMatchObject({ download: true, afterwards: { kind: "stop" } });
  expect(parseDemoOptions(["--hubs", "3", "--once"])).toMatchObject({ hubs: 3, afterwards: { kind: "stop" } });
  for (const show of ["argocd", "commands", "doctor"])
    expect(parseDemoOptions([`--${show}`, "--once"])).toMatchObject({ show, afterwards: { kind: "stop" } });
  expect(parseDemoOptions(["--once", "--help"])).toBe("help");
});

test("what can't be meant is refused by name", () => {
  expect(() => parseDemoOptions(["--once", "--exec", "true"])).toThrow("--once and --exec exclude each other");
  for (const wrong of ["1", "2", "6", "three", "3.5", ""])
    expect(() => parseDemoOptions(["--hubs", wrong]), wrong).toThrow(`--hubs takes 3 to 5, not '${wrong}'`);
  expect(() => parseDemoOptions(["--hubs", "3", "--kubeconfig", "mine"])).toThrow(
    "--hubs and --kubeconfig exclude each other",
  );
  for (const show of ["--argocd", "--commands", "--doctor"])
    for (const other of [["--hubs", "3"], ["--kubeconfig", "mine"], ["--download"]])
      expect(() => parseDemoOptions([show, ...other])).toThrow(`${show} excludes --hubs, --kubeconfig and --download`);
  expect(() => parseDemoOptions(["--doctor", "--commands"])).toThrow("--commands and --doctor exclude each other");
  expect(() => parseDemoOptions(["--twice"])).toThrow("--twice");
});
