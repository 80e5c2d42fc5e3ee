import { expect, test } from "vitest";
import { judgeAddress } from "./judge-address.ts";

const base = { port: 443, isLocal: false, ownAddresses: ["10.1.2.3", "fd00::5", "fe80::1%eth0"], ownPorts: [9090] };

test.each(["93.184.216.34", "10.0.0.7", "192.168.1.1", "100.64.0.1", "2606:2800::1", "fd00::7", "64:ff9b::5db8:d822"])(
  "%s may be reached",
  (address) => expect(judgeAddress({ ...base, address })).toBeUndefined(),
);

test.each([
  ["169.254.169.254", "metadata"],
  ["169.254.170.2", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["192.0.0.192", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["FD00:0EC2:0:0::254", "metadata"],
  ["fd20:ce::254", "metadata"],
  ["169.254.1.1", "link-local"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["224.0.0.1", "multicast"],
  ["ff02::1", "multicast"],
  ["255.255.255.255", "reserved"],
  ["240.0.0.1", "reserved"],
  ["::ffff:169.254.169.254", "metadata"],
  ["::ffff:a9fe:a9fe", "metadata"],
  ["64:ff9b::169.254.169.254", "metadata"],
  ["64:ff9b::7f00:1", "on the agent's own machine"],
  ["::ffff:127.0.0.1", "on the agent's own machine"],
  ["::127.0.0.1", "translated"],
  ["64:ff9b::1", "translated"],
  ["64:ff9b:1::7f00:1", "translated"],
  ["2002:7f00:1::", "tunnelled"],
  ["2001:0:1::1", "tunnelled"],
  ["127.0.0.1", "on the agent's own machine"],
  ["127.8.9.10", "on the agent's own machine"],
  ["::1", "on the agent's own machine"],
  ["10.1.2.3", "on the agent's own machine"],
  ["fd00:0::5", "on the agent's own machine"],
  ["example.com", "isn't an IP address"],
  ["", "isn't an IP address"],
])("%s is refused: %s", (address, reason) => {
  expect(judgeAddress({ ...base, address })).toContain(reason);
});

test("what the policy names on this machine may be reached, but for the agent itself", () => {
  for (const address of ["127.0.0.1", "::1", "10.1.2.3"]) {
    expect(judgeAddress({ ...base, address, isLocal: true })).toBeUndefined();
    expect(judgeAddress({ ...base, address, isLocal: true, port: 9090 })).toContain("the agent itself listens");
  }
  expect(judgeAddress({ ...base, address: "169.254.169.254", isLocal: true })).toContain("metadata");
  expect(judgeAddress({ ...base, address: "10.9.9.9", port: 9090 })).toBeUndefined();
});
