import type { AccessBinding } from "@fairlead/contract";
import { requestHub } from "../../fleet/request-hub.ts";
import { change, type Harness } from "../harness.ts";
import type { HubAddress } from "../hub-address.ts";

/** A robot with a role and a token; by its number it then loses the token, the role, or everything, or nothing. */
export async function liveAsRobot(harness: Harness, number: number): Promise<void> {
  const { ledger } = harness;
  const name = `r-${number}`;
  const path = `/api/v1/robots/${name}`;
  await change(harness, "POST", "/api/v1/robots", { name });
  const isThere = await ledger.note(`robot ${name} is there`, (picture) => picture.hasRobot(name));

  const wanted = { subject: { kind: "robot", name }, role: "viewer", clusters: { all: true } };
  const { id: bindingId } = await change<AccessBinding>(harness, "POST", "/api/v1/bindings", wanted);
  const isBound = await ledger.note(`robot ${name} is bound`, (picture) => picture.hasBinding(bindingId));

  const { id, token } = await change<{ id: string; token: string }>(harness, "POST", `${path}/tokens`, {
    ttlMs: 86_400_000,
  });
  const isListed = await ledger.note(`a token of ${name} is listed`, (picture) => picture.hasRobotToken(id));
  const isTaken = await ledger.note(
    `a token of ${name} is taken`,
    async ({ hub }) => (await askWith(hub, token)) === 200,
  );

  const noteRefusal = () =>
    ledger.note(`the token of ${name} is refused`, async ({ hub }) => (await askWith(hub, token)) === 401, {
      isProbe: true,
    });
  switch (number % 4) {
    case 0:
      await ledger.end(isTaken, isListed);
      await change(harness, "DELETE", `${path}/tokens/${id}`);
      await noteRefusal();
      return;
    case 1:
      await ledger.end(isBound);
      await change(harness, "DELETE", `/api/v1/bindings/${bindingId}`);
      await ledger.note(`robot ${name} is bound no more`, async (picture) => !(await picture.hasBinding(bindingId)));
      return;
    case 2:
      await ledger.end(isThere, isBound, isListed, isTaken);
      await change(harness, "DELETE", path);
      await ledger.note(`robot ${name} is gone`, async (picture) => !(await picture.hasRobot(name)));
      await noteRefusal();
      return;
  }
}

async function askWith(hub: HubAddress, token: string): Promise<number> {
  return (await requestHub(hub, "/api/v1/whoami", { authorization: `Bearer ${token}` })).status;
}
